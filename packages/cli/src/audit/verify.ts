import { ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-flags.ts'
import { parseWholeNumber } from '../parse-whole-number.ts'

/** `svc audit verify`: walks the chain of hashes. Exit code 1 when it is broken, with the first line that does not fit. */
export async function verify(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['from', 'data-dir'], switches: ['json'] })
  const from = parseWholeNumber('--from', flags.from, 1, 999_999_999)
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { verifyAuditLog } = await import('@svc/tool-server/operator')
  const verdict = await verifyAuditLog(dataDir, from === undefined ? {} : { from })
  const { lines, last, isUnfinished, broken } = verdict
  if (flags.json) process.stdout.write(`${JSON.stringify(verdict)}\n`)
  else if (broken === null) {
    const until = last === null ? '' : `, up to number ${last.seq} with hash ${last.hash}`
    process.stdout.write(`Whole: ${lines} lines${until}.\n`)
    if (isUnfinished)
      process.stdout.write('A last line is not whole: it is just being written, or a crash cut it off.\n')
  } else {
    process.stdout.write(
      `Broken: line ${broken.line} of ${broken.file} ${broken.how}.\n${lines} lines before it are sound.\n`,
    )
  }
  return broken === null ? 0 : 1
}
