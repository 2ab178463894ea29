// Run before every npm script, and before an installed malipo. Plain JavaScript of 2015, because an old Node reads it: it cannot
// read our sources, and would print a stack trace in place of the reason.
'use strict'
var parts = process.versions.node.split('.').map(Number)
if (parts[0] !== 24 || parts[1] < 7) {
  process.stderr.write(
    'Malipo needs Node 24.7 or a later 24 (this is v' +
      process.versions.node +
      '). Install it with "nvm install 24", or from https://nodejs.org/en/download.\n',
  )
  process.exit(1)
}
