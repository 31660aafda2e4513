% ceemdan_peer.m - ceemdan.m on the first samples of a signal, with noise of its own.
%
% octave-cli -q ceemdan_peer.m PEER SIGNAL.bin SAMPLES RESULT.f64 SEED NSTD NR MAXITER SNRFLAG
%
% PEER is the folder of ceemdan.m and emd.m, SIGNAL.bin raw float32.
% RESULT.f64 takes the modes one after another, the residue last, as float64;
% it appears under its name only when it is whole.

a = argv();
addpath(a{1});
warning('off', 'all');
f = fopen(a{2});
x = fread(f, str2double(a{3}), 'float32')';
fclose(f);
randn('twister', str2double(a{5}));
modes = ceemdan(x, str2double(a{6}), str2double(a{7}), str2double(a{8}), str2double(a{9}));
part = [a{4} '.part'];
f = fopen(part, 'w');
fwrite(f, modes', 'float64');
fclose(f);
rename(part, a{4});
printf('%d rows\n', rows(modes));
