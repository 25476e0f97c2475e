import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Runs `npm run kills` with these words; it ends with the test, also when that takes too long. */
export async function runKills(signal: AbortSignal, words: readonly string[]): Promise<KillRun> {
  const program = fileURLToPath(new URL('../bench/kills.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, ...words], { signal, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.stderr += text))
  await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const printed = said.stderr.slice(-20_000)
  const summary: object = JSON.parse(said.stdout === '' ? '{}' : said.stdout)
  return { printed, summary }
}

/** What each run of kills of a server shows of what must not happen. */
export const nothingWrong = {
  duplicates: 0,
  lost: 0,
  open: 0,
  gaps: 0,
  ledgerMismatches: 0,
  other: 0,
  problems: [],
}

type KillRun = {
  /** The end of what it said on the way. */
  readonly printed: string
  readonly summary: object
}
