# How sizes, days and paths are written. Sourced, not run.

# 512 B, 4.0 kB, 1.2 MB: powers of 1024, as the other tools of a system count.
show_bytes() {
  LC_ALL=C awk -v bytes="$1" 'BEGIN {
    split("B kB MB GB TB PB", unit, " ")
    for (place = 1; bytes >= 1024 && place < 6; place++) bytes /= 1024
    printf (place == 1 ? "%d %s" : "%.1f %s"), bytes, unit[place]
  }'
}

# Names come from anyone: no control character reaches a terminal.
show_path() {
  local path=${1//[[:cntrl:]]/?}
  printf '%s' "${path#./}"
}

show_day() {
  date -u -d "@$1" +%Y-%m-%d 2>/dev/null || date -u -r "$1" +%Y-%m-%d
}

# A JSON string. Bytes that are no UTF-8 are dropped at the end, by clean_json.
json_string() {
  printf '%s' "${1#./}" | LC_ALL=C awk '
    BEGIN {
      for (code = 1; code < 32; code++) escape[sprintf("%c", code)] = sprintf("\\u%04x", code)
      escape["\\"] = "\\\\"
      escape["\""] = "\\\""
      escape["\177"] = "\\u007f"
      printf "\""
    }
    {
      if (NR > 1) printf "\\n"
      for (place = 1; place <= length($0); place++) {
        unit = substr($0, place, 1)
        printf "%s", (unit in escape ? escape[unit] : unit)
      }
    }
    END { printf "\"" }'
}

clean_json() {
  if command -v iconv >/dev/null; then iconv -c -f UTF-8 -t UTF-8; else cat; fi
}
