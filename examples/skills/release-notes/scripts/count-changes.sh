#!/bin/sh
# Counts the entries of a list in Markdown.
grep -c '^- ' "$1"
