"""The pure core: no await, no clock, no I/O, no logging. Time is an argument; what is to be done goes out as values."""
