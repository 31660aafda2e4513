% ceemdan_peer.m - ceemdan.m on a signal, with noise of its own.
%
% octave-cli -q ceemdan_peer.m PEER SIGNAL.bin RESULT.bin SEED NSTD NR MAXITER SNRFLAG
%
% PEER is the folder of ceemdan.m and emd.m, SIGNAL.bin raw float64.
% RESULT.bin takes the modes one after another, the residue last, as float64;
% it appears under its name only when it is whole.

a = argv();
addpath(a{1});
warning('off', 'all');
f = fopen(a{2});
x = fread(f, Inf, 'float64')';
fclose(f);
randn('twister', str2double(a{4}));
modes = ceemdan(x, str2double(a{5}), str2double(a{6}), str2double(a{7}), str2double(a{8}));
f = fopen([a{3} '.part'], 'w');
fwrite(f, modes', 'float64');
fclose(f);
rename([a{3} '.part'], a{3});
printf('%d rows\n', rows(modes));
