% Octave's matrix products in single precision, against double.
a = single (rand (90, 70) - 0.5);
b = single (rand (90, 110) - 0.5);
exact = double (a)' * double (b);
bound = (90 + 3) * 2^-24 * (abs (double (a))' * abs (double (b)));
assert (all (all (abs (double (a' * b) - exact) <= bound)));
disp ("right");
