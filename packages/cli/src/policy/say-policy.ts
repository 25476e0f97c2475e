/** Says on stderr, in one line, which policy a command works with. */
export function sayPolicy(path: string, exists: boolean): void {
  process.stderr.write(exists ? `Policy: ${path}\n` : `Policy: the defaults, for there is no ${path}\n`)
}
