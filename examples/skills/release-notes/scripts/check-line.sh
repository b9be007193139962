#!/bin/sh
# Reads {"line": "…"} and says whether the line is short enough.
read -r input
line=${input#*\"line\":\"}
line=${line%\"*}
[ "${#line}" -le 60 ] && echo '{"ok": true}' || echo '{"ok": false}'
