import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// A seeded part of `npm run kills -- --kind registration`, which kills 200. A failure prints what was told; run
// `npm run kills -- --kind registration --seed SEED --count 30` for kills of the same kind. Nothing here is judged by how long it takes.
test('30 killed registrations of seed 9 leave one identity each, one grant, one pinned file, one operation', async ({
  signal,
}) => {
  const { printed, summary } = await kill(signal, ['--kind', 'registration', '--seed', '9', '--count', '30', '--json'])
  expect({ ...summary, printed }).toMatchObject({
    twice: 0,
    lost: 0,
    gaps: 0,
    other: 0,
    problems: [],
    holds: true,
  })
}, 600_000)

/** Ends with the test, also when that takes too long. */
async function kill(signal: AbortSignal, words: readonly string[]) {
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
