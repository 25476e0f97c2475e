// A store and its lock under other processes that are killed, or race.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from './open-store.ts'
import { acquireServerLock } from './server-lock.ts'

const built = JSON.stringify(new URL('../dist/index.js', import.meta.url).href)
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'))
})

afterEach(() => rm(folder, { recursive: true }))

test('another process holds a data directory until it is killed', async () => {
  const child = run(`const { acquireServerLock } = await import(${built})
await acquireServerLock(${JSON.stringify(folder)})
console.log('locked')
setInterval(() => {}, 1000)`)
  await firstLines(child, 1)
  const refusal = acquireServerLock(folder)
  await expect(refusal).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED' })
  await expect(refusal).rejects.toThrow(folder)
  await kill(child)
  ;(await acquireServerLock(folder)).release()
})

describe('what a method has resolved', () => {
  test('is still there after the process is killed', async () => {
    const path = join(folder, 'state.db')
    for (let round = 0; round < 4; round += 1) {
      const child = run(`const { openStore } = await import(${built})
const { journal } = await openStore({ path: ${JSON.stringify(path)}, now: Date.now })
const from = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const first = (await journal.nextNonce(1, from)) ?? 0
for (let nonce = first; ; nonce += 1) {
  const hash = '0x' + nonce.toString(16).padStart(64, '0')
  const entry = { requestId: 'r' + nonce, step: 0, chainId: 1, from, nonce, attempt: 0, rawTransaction: '0x02', hash, reservationId: null }
  await journal.recordSigned(entry)
  console.log(hash)
  if (nonce % 3 === 0) await journal.mark(hash, 'broadcast')
}`)
      const printed = await firstLines(child, 20 + 13 * round)
      await kill(child)
      const store = await openStore({ path, now: Date.now })
      const kept = await Promise.all(printed.map((hash) => store.journal.byHash(hash as `0x${string}`)))
      expect(kept.map((entry) => entry?.hash)).toEqual(printed)
      await store.close()
    }
  })

  test('holds between processes: they race for a new file and a cap, and never pass it', async () => {
    const path = join(folder, 'state.db')
    const limits = '{ perTransaction: 10n, perSession: 150n, daily: 150n }'
    const racer = (name: string) => `const { openStore } = await import(${built})
const store = await openStore({ path: ${JSON.stringify(path)}, now: Date.now })
let granted = 0
await Promise.all(Array.from({ length: 100 }, async (_, index) => {
  const id = '${name}-' + index
  const verdict = await store.ledger.reserve({ id, requestId: id, principal: 'agent', chainId: 1, amountUsdMicros: 1n, limits: ${limits}, sessionIdleMs: 1800000 })
  if (verdict.granted) granted += 1
}))
await store.close()
console.log(granted)`
    const outputs = await Promise.all(['a', 'b', 'c'].map((name) => runToEnd(racer(name))))
    expect(outputs.map(Number).reduce((sum, granted) => sum + granted)).toBe(150)
    const store = await openStore({ path, now: Date.now })
    expect((await store.ledger.usage('agent', { sessionIdleMs: 1_800_000 })).dailyUsdMicros).toBe(150n)
    await store.close()
  })
})

function run(program: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function runToEnd(program: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])).stdout
}

async function firstLines(child: ChildProcess, count: number): Promise<string[]> {
  const lines: string[] = []
  if (child.stdout === null) return lines
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (lines.length === count) return lines
  }
  throw new Error(`the child ended after ${lines.length} lines`)
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}
