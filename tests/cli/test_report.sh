#!/bin/bash
# --report: one page of each command that needs no other file, and an index of many.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "NOT RUN: no python3"; exit 77; }

# Elements closed in their order, names that are there once, all that are called there, and nothing
# outside but links to files that exist; then each WORD in the text.
cat >page.py <<'END'
import os, re, sys, urllib.parse
from html.parser import HTMLParser

class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.called = [], [], []
        self.outside, self.words, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            value = value or ""
            if name == "id":
                self.ids.append(value)
            self.called += re.findall(r"url\(#([^)]*)\)", value)
            if name.endswith("href") and value.startswith("#"):
                self.called.append(value[1:])
            elif name.endswith("href") or name == "src":
                self.outside += [] if value.startswith("data:") else [value]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        self.words.append(data)

path, figures = sys.argv[1], int(sys.argv[2])
page = Page()
page.feed(open(path, encoding="utf-8").read())
page.close()
assert not page.open, page.open
assert len(page.ids) == len(set(page.ids)), "a name is there twice"
assert set(page.called) <= set(page.ids), set(page.called) - set(page.ids)
assert page.tags.count("svg") == figures, page.tags.count("svg")
for link in page.outside:
    assert os.path.exists(os.path.join(os.path.dirname(path), urllib.parse.unquote(link))), link
text = "\n".join(page.words)
for word in sys.argv[3:]:
    assert word in text, word
END

# page NAME FILE FIGURES WORD..
page()
{
	local name=$1
	shift
	that "$name: the page" python3 page.py "$@"
}

ok "emd" "$ws" emd "$eeg" --to 4 -o emd.h5 -q --report emd.html
page "emd" emd.html 2 'EMD of eeg.edf' Summary 'Options and provenance' 'input sha256' Huang \
	'IMF 1' "wavesift $("$ws" --version | grep -o '[0-9.]*' | head -1)" --report
ok "hht" "$ws" hht "$eeg" --to 4 -c 1-2 -o hht.h5 -q --report hht.html
page "hht" hht.html 2 'Marginal Hilbert spectra' 'mean frequency'
ok "one that is asked for" "$ws" hht "$eeg" --to 4 -c 1-2 -o hht2.h5 -q --report hht2.html \
	--figure marginal --title none
page "one" hht2.html 1 'power density (µV²/Hz)'
ok "cwt beside --plot" "$ws" cwt "$eeg" --to 4 -c 1 --freqs 4:40 -o cwt.h5 -q --plot cwt.svg \
	--report cwt.html
page "cwt" cwt.html 1 Torrence
that "its figure" grep -q '</svg>' cwt.svg
ok "no figure" "$ws" coherence "$eeg" --to 4 -c 1-3 --freqs 4:40 --against all -o co.h5 -q \
	--report co.html
page "no figure" co.html 0 'No figure:' 'all pairs'
awk 'BEGIN { print "t,<b>&\"x"; for (i = 0; i < 300; i++)
	print i / 10 "," (i == 5 ? "nan" : sin(i)) }' >odd.csv
noted "warnings, and names of any kind" "$ws" emd odd.csv --nan interpolate -o odd.h5 \
	--report odd.html
page "warnings" odd.html 2 '<b>&"x'
ok "plot" "$ws" plot emd.h5 -o p.png -q --report plot.html --plot-modes 1-2
page "plot" plot.html 1 emd.h5 'IMF 2'
ok "info" "$ws" info "$eeg" --report info.html
page "info" info.html 0 channels
ok "compare" "$ws" compare emd.h5 emd.h5 --report compare.html
page "compare" compare.html 1 'Similarity index'
ok "reconstruct" "$ws" reconstruct emd.h5 "$eeg" --drop 1 -o less.edf -q --report less.html
page "reconstruct" less.html 0 'without some of its modes' 'deviation taken off' --drop
cp "$eeg" 'a b#1.edf'
ok "many" "$ws" bands "$eeg" 'a b#1.edf' --to 4 --bands 4:8 --output-dir out --report out/pages -q
page "many" out/pages/index.html 0 eeg_bands
page "one of many" out/pages/eeg_bands.html 1 'Options and provenance'
that "both linked" test "$(grep -c '<a href' out/pages/index.html)" = 2

if command -v chromium >/dev/null; then
	timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$box/chromium" \
		--dump-dom "file://$PWD/emd.html" >dom.html 2>/dev/null
	that "a browser shows its figures" test "$(grep -o '<svg' dom.html | wc -l)" = 2
	that "and its words" grep -q 'Options and provenance' dom.html
else
	echo "NOT RUN: a page in a browser (chromium)"
fi

# ---- What cannot be
fails "of devices" 2 "--report is no option of devices" "$ws" devices --report x.html
fails "it is there" 2 "emd.html: exists already" "$ws" emd "$eeg" -o x.h5 --report emd.html
fails "no page" 2 "end its name in .html" "$ws" emd "$eeg" -o x.h5 --report x.txt
fails "info, too" 2 "end its name in .html" "$ws" info "$eeg" --report x.txt
fails "two of one name" 2 "is the file of" "$ws" emd "$eeg" -o x.html --report x.html

# ---- Smoothing
for smooth in x 0:0 1:x -1; do
	fails "--plot-smooth $smooth" 2 "a time and maybe" "$ws" plot hht.h5 --figure hilbert \
		-o x.png --plot-smooth=$smooth
done
ok "smoothed" "$ws" plot hht.h5 --figure hilbert -o smooth.svg -q --plot-smooth 50ms:2
that "told" grep -q 'standard deviations 50.0 ms and 2 bins' smooth.svg
ok "not a wavelet's" "$ws" plot cwt.h5 -o again.svg -q --title 'T'
fails "smoothing of wavelets" 2 "Hilbert spectra" "$ws" plot cwt.h5 -o x.svg -q --plot-smooth 1

# ---- Subtitles
ok "what differs" "$ws" conv "$eeg" --to 4 -c 1 --mask-formula morlet --scales 1:32:32 -o cv.h5 -q \
	--plot cv.svg
that "is told" grep -q 'mask formula morlet:5, scales 1.*</text>' cv.svg
that "nothing else" test -z "$(grep 'oversample 1' cv.svg)"

finish
