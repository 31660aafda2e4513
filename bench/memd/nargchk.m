% nargchk, which memd.m calls and Octave no longer has.
function message = nargchk (low, high, n)
  message = [];
end
