import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { askChain, connect } from './clients.fixture.ts'
import {
  goneAfter,
  program,
  readyLine,
  repository,
  run,
  runUp,
  type Run,
  type RunOptions,
  upOnAnyPort,
} from './processes.fixture.ts'

// A chain is seeded once per machine and day, which the first of these tests may have to wait for.
const timeout = 300_000

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

function started(world: Run): Run {
  opened.push(() => world.end())
  return world
}

function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))
  opened.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const up = [process.execPath, program, ...upOnAnyPort]

/** `npm start` as the repository's own: a shell stands between npm and the program. */
function npmStart(options?: RunOptions): Run {
  const cwd = temporaryDirectory()
  const script = `true && '${up.join("' '")}'`
  writeFileSync(join(cwd, 'package.json'), JSON.stringify({ name: 'started', scripts: { start: script } }))
  return run('npm', ['start'], { ...options, cwd })
}

const npx = (options?: RunOptions) =>
  run('npx', ['--no-install', 'svc', ...upOnAnyPort], { ...options, cwd: repository })
const script = (options?: RunOptions) => run('sh', ['-c', '"$@"; exit $?', 'sh', ...up], options)
const direct = (options?: RunOptions) => runUp([], options)
const toFirst = (signal: NodeJS.Signals) => (world: Run) => process.kill(world.session, signal)
const toGroup = (signal: NodeJS.Signals) => (world: Run) => process.kill(-world.session, signal)

const endings = [
  { how: 'SIGTERM to its group', start: direct, end: toGroup('SIGTERM') },
  { how: 'Ctrl-C, a SIGINT to its group', start: direct, end: toGroup('SIGINT') },
  { how: 'its terminal closed, a SIGHUP to its group', start: direct, end: toGroup('SIGHUP') },
  { how: 'SIGTERM to the npm that started it', start: npmStart, end: toFirst('SIGTERM') },
  { how: 'SIGKILL of the npm that started it', start: npmStart, end: toFirst('SIGKILL') },
  { how: 'Ctrl-C under npm', start: npmStart, end: toGroup('SIGINT') },
  { how: 'SIGTERM to the npx that started it', start: npx, end: toFirst('SIGTERM') },
  { how: 'SIGKILL of the shell that waits for it', start: script, end: toFirst('SIGKILL') },
]

/** One of each kind is enough for the time before it is ready. */
const startUpEndings = endings.filter(({ how }) => /SIGKILL of the npm|Ctrl-C under npm|of the shell/.test(how))

describe('svc up ends whole and leaves nothing', { timeout }, () => {
  it.each(endings)('when it is ready: $how', async ({ start, end }) => {
    const world = started(start())
    await readyLine(world)
    expect(world.living().map(({ name }) => name)).toContain('anvil')
    end(world)
    await goneAfter(world)
    expect(world.leftFiles()).toEqual([])
  })

  it.each(startUpEndings)('while the first start seeds its chain: $how', async ({ start, end }) => {
    const world = started(start({ env: { XDG_CACHE_HOME: temporaryDirectory() } }))
    await world.said(/seeding/i)
    end(world)
    await goneAfter(world)
    expect(world.leftFiles()).toEqual([])
    expect(world.printed.stdout).not.toContain('{')
  })

  it('at any moment of a start: SIGTERM to npm', async () => {
    for (const waitMs of [200, 400, 1_200]) {
      const world = started(npmStart())
      await sleep(waitMs)
      process.kill(world.session, 'SIGTERM')
      await goneAfter(world)
      expect(world.leftFiles()).toEqual([])
    }
  })

  it('while a write waits for its block', async () => {
    const world = started(runUp())
    const ready = await readyLine(world)
    const client = await connect(ready)
    await askChain(ready, 'evm_setAutomine', false)
    const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', chain: 'local' }
    const call = client.callTool({ name: 'execute_swap', arguments: swap }).catch(() => 'cut off')
    await expect.poll(() => askChain(ready, 'txpool_status')).toMatchObject({ pending: '0x1' })
    process.kill(world.session, 'SIGTERM')
    await goneAfter(world)
    expect(await world.exited).toBe(0)
    expect(world.printed.stderr.split('\n').slice(-3)).toEqual([
      expect.stringMatching(
        /^Stopping\. One write that is on its way is waited for, at most 2 s; nothing more is signed\./,
      ),
      'The local world ends. Its temporary directory goes with it.',
      '',
    ])
    expect(world.leftFiles()).toEqual([])
    await call
    await client.close().catch(() => {})
  })

  it('when its chain hangs', async () => {
    const world = started(runUp())
    await readyLine(world)
    process.kill(anvilOf(world), 'SIGSTOP')
    process.kill(world.session, 'SIGTERM')
    await goneAfter(world)
    expect(await world.exited).toBe(0)
    expect(world.leftFiles()).toEqual([])
  })

  it('at once on a second Ctrl-C', async () => {
    const world = started(runUp())
    await readyLine(world)
    process.kill(anvilOf(world), 'SIGSTOP')
    // The chain that hangs holds the orderly end up for two seconds; half a second after the first one, any ends it at once.
    for (; world.living().length > 0; await sleep(100)) process.kill(-world.session, 'SIGINT')
    expect(await world.exited).toBe(130)
    expect(world.leftFiles()).toEqual([])
  })

  it.each([
    ['first', 0],
    ['second', 1],
  ])('with exit code 1 and a word about it when a chain ends by itself: the %s', async (_which, index) => {
    const world = started(runUp())
    await readyLine(world)
    process.kill(anvilOf(world, index), 'SIGKILL')
    await goneAfter(world)
    expect(await world.exited).toBe(1)
    // The support API may have seen it first, and says so in its log.
    expect(world.printed.stderr).toMatch(/^(\{.*\n)*svc up: a local chain has ended by itself, so the rest ends too\n$/)
    expect(world.leftFiles()).toEqual([])
  })

  it('of its processes, though not of its files, on SIGKILL', async () => {
    const world = started(runUp())
    await readyLine(world)
    process.kill(world.session, 'SIGKILL')
    await goneAfter(world)
  })
})

describe('svc up goes on', { timeout }, () => {
  it('when the shell that put it into the background has ended', async () => {
    const world = started(run('sh', ['-c', '"$@" & read line', 'sh', ...up]))
    const ready = await readyLine(world)
    world.child.stdin?.end()
    await once(world.child, 'exit')
    await sleep(1_000)
    expect(await askChain(ready, 'eth_chainId')).toBe('0x7a69')
  })
})

/** Of the chain that was started so many others after the first. */
function anvilOf(world: Run, index = 0): number {
  const anvil = world.living().filter(({ name }) => name === 'anvil')[index]
  if (anvil === undefined) throw new Error('There is no chain')
  return anvil.pid
}
