import type { AuditLogFiles } from '@svc/engine/switches'
import { ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags, parseWholeNumber } from '../parse-words-and-flags.ts'
import { emptyLog, isEmptyLog, requireLog } from './require-log.ts'

/**
 * `svc audit verify`: walks the chain of hashes. Exit code 1 when it is broken, with the first line that does not fit, and
 * when a file of it is missing.
 */
export async function verify(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['from', 'data-dir'], switches: ['json'] })
  const from = parseWholeNumber('--from', flags.from, 1, 999_999_999)
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { verifyAuditLog } = await import('@svc/engine/switches')
  const files = await requireLog(dataDir)
  requireFiles(files, from, dataDir)
  const verdict = await verifyAuditLog(dataDir, from === undefined ? {} : { from })
  const { lines, continued, last, isUnfinished, broken } = verdict
  if (flags.json) process.stdout.write(`${JSON.stringify(verdict)}\n`)
  else if (broken === null) {
    const until = last === null ? '' : `, up to number ${last.seq} with hash ${last.hash}`
    process.stdout.write(`Whole: ${lines} ${lines === 1 ? 'line' : 'lines'}${until}.\n`)
    if (continued > 0) process.stdout.write(continuedText(continued))
    if (isEmptyLog(files)) process.stdout.write(`${emptyLog}\n`)
    if (isUnfinished)
      process.stdout.write('A last line is not whole: it is just being written, or a crash cut it off.\n')
  } else {
    process.stdout.write(
      `Broken: line ${broken.line} of ${broken.file} ${broken.how}.\n${lines === 1 ? '1 line before it is' : `${lines} lines before it are`} sound.\n`,
    )
  }
  return broken === null ? 0 : 1
}

function continuedText(times: number): string {
  const how = times === 1 ? 'Once it goes' : `${times} times it goes`
  return `${how} on from where another server of the same database had stopped (audit.continued): the lines between stand in that one's directory.\n`
}

/** Throws where the file to begin with is missing or nothing says where it should begin, and where the newest is gone. */
function requireFiles({ rotated, current, verifiableFrom }: AuditLogFiles, from: number | undefined, dataDir: string) {
  if (current === null) {
    throw new Error(`There is no audit.jsonl in ${dataDir}, only older files: the newest lines were taken away.`)
  }
  const name = (index: number): string => (index === current.number ? 'audit.jsonl' : `audit-${index}.jsonl`)
  const choices = verifiableFrom.map((index) => `--from ${index} (${name(index)})`).join(', ')
  const fix = choices === '' ? 'Put the older files back.' : `It can be verified ${choices}.`
  const start = from ?? 1
  if (start !== current.number && !rotated.includes(start)) {
    throw new Error(`The log in ${dataDir} has no audit-${start}.jsonl. ${fix}`)
  }
  if (!verifiableFrom.includes(start)) {
    throw new Error(
      `Nothing says where ${name(start)} should begin: audit-checkpoints.json holds no checkpoint of ` +
        `audit-${start - 1}.jsonl. ${fix}`,
    )
  }
}
