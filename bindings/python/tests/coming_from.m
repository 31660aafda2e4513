% coming_from.m - runs lines of docs/coming-from.md under Octave, where EEGLAB and FieldTrip are.
%
% octave-cli -q coming_from.m PACKAGE FOLDER LINES
%
% FOLDER is that of the package, for MATLAB that of memd.m and ceemdan.m; LINES a file, one call a
% line.  Prints the versions, and of each line "ran: LINE" or "failed: LINE: MESSAGE".

% What they call and Octave lacks.
function r = istable(x)
	r = false;
end
function varargout = convertStringsToChars(varargin)
	varargout = varargin;
end
function dipfitdefs
end

% Three channels of twelve epochs in EEGLAB's form, written to a.set and read again.
function EEG = recording(x)
	EEG = eeg_emptyset();
	EEG.data = x;
	EEG.srate = 200;
	EEG.xmin = -0.5;
	EEG.chanlocs = struct('labels', {'a', 'b', 'c'});
	for i = 1:12
		EEG.event(i) = struct('type', 'x', 'latency', (i - 1) * 300 + 101, 'epoch', i);
	end
	EEG = eeg_checkset(EEG);
	pop_saveset(EEG, 'filename', 'a.set', 'filepath', pwd);
	EEG = pop_loadset('filename', 'a.set', 'filepath', pwd);
end

% One line; what it changes of cfg is the next line's no longer.
function run_line(line, s, x, EEG, data, cfg, freq)
	try
		evalc([line ';']);
		printf('ran: %s\n', line);
	catch e
		printf('failed: %s: %s\n', line, e.message);
	end
	close all
end

warning('off', 'all');
set(0, 'defaultfigurevisible', 'off');
a = argv();
addpath(a{2});
randn('twister', 7);
x = randn(3, 300, 12);
EEG = data = cfg = freq = [];
name = 'memd.m and ceemdan.m';
switch a{1}
case 'EEGLAB'
	evalc('addpath(genpath(fullfile(a{2}, ''functions''))); EEG = recording(x);');
	name = ['EEGLAB ' eeg_getversion()];
case 'FieldTrip'
	evalc('ft_defaults');
	data = struct('label', {{'a'; 'b'; 'c'}}, 'fsample', 200);
	data.trial = squeeze(num2cell(x, [1 2]))';
	data.time = repmat({(0:299) / 200 - 0.5}, 1, 12);
	cfg = struct('method', 'wavelet', 'foi', 4:40, 'toi', -0.3:0.05:0.8);
	given = setfield(setfield(cfg, 'output', 'fourier'), 'keeptrials', 'yes');
	evalc('freq = ft_freqanalysis(given, data);');
	written = dir(fullfile(a{2}, 'ft_freqanalysis.m')).datenum;     % a snapshot knows no version
	name = ['FieldTrip of ' datestr(written, 'yyyy-mm-dd')];
end
printf('%s, Octave %s\n', name, version());
for line = strsplit(strtrim(fileread(a{3})), "\n")
	own = cfg;
	if isempty(strfind(line{1}, 'ft_freqanalysis'))
		own = struct();
	end
	run_line(line{1}, x(1, :, 1), x(:, :, 1), EEG, data, own, freq);
end
