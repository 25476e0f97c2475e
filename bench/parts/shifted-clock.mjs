// A clock that goes on while a program is stopped: for what happens on a machine that sleeps.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/**
 * Opens a clock in a file. A program that is started with these options of Node goes by it: what it reads off the wall is as far ahead as the clock
 * was put, while its timers do not know, as those of a machine that was suspended.
 */
export function openShiftedClock(file, ahead = 0) {
  putOn(file, ahead)
  return {
    nodeOptions: `--import=data:text/javascript,${encodeURIComponent(shiftedDate(file))}`,
    /** Milliseconds more. */
    putOn: (ms) => putOn(file, Number(readFileSync(file, 'utf8')) + ms),
  }
}

/** Whole at once: the program may be reading it. */
function putOn(file, ms) {
  writeFileSync(`${file}.next`, String(ms))
  renameSync(`${file}.next`, file)
}

function shiftedDate(file) {
  return `import { readFileSync } from 'node:fs'
const real = Date.now
const now = () => real() + Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
globalThis.Date = class extends Date {
  constructor(...given) { given.length === 0 ? super(now()) : super(...given) }
  static now() { return now() }
}`
}
