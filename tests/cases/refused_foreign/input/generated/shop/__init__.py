print("mine")
