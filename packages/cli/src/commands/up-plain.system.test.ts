import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, connect } from '../clients.fixture.ts'
import { holdExcerpt } from '../excerpts.fixture.ts'
import { program, repository, run, type Run, runToEnd } from '../processes.fixture.ts'

// As `npm start` starts it: no directory is named, and people read what it prints.
const elsewhere = mkdtempSync(join(tmpdir(), "svc test's "))
let world: Run
let banner: string

beforeAll(async () => {
  const ports = ['--mcp-port', '0', '--rpc-port', '0', '--api-port', '0']
  world = run(process.execPath, [program, 'up', ...ports])
  await world.said(/To try next[^]*\n\n(?:.+\n){3}$/)
  banner = world.printed.stdout
})
afterAll(async () => {
  await world.end()
  rmSync(elsewhere, { recursive: true, force: true })
})

const swap = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', chain: 'local' }
const said = (name: string) => new RegExp(`^  ${name} +([^ ,]+)`, 'm').exec(banner)?.[1] ?? ''

describe('what svc up says without --data-dir', () => {
  it('ends with three commands that run as they stand, from any directory', async () => {
    const commands = banner.trimEnd().split('\n').slice(-3)
    const reported = await Promise.all(
      commands.map(async (command) => {
        const pasted = run('sh', ['-c', command], { cwd: elsewhere })
        const code = await pasted.exited
        await pasted.end()
        return { code, printed: pasted.printed }
      }),
    )
    expect(reported).toEqual([
      { code: 0, printed: { stdout: expect.stringMatching(/^WETH\/USDC[^]*range/), stderr: expect.any(String) } },
      { code: 0, printed: { stdout: expect.stringMatching(/policy\.json is in order/), stderr: expect.any(String) } },
      { code: 0, printed: { stdout: expect.stringMatching(/policy\.changed/), stderr: '' } },
    ])
  })
})

describe('what the README shows of npm start', () => {
  // There nobody else listens on the usual ports, and keys are left out.
  const asAReaderSees = () =>
    Object.entries({ 'MCP server': 3000, chain: 8545, 'support API': 8080 })
      .reduce(
        (text, [name, port]) => text.replaceAll(/[\d.]+:\d+/.exec(said(name))?.[0] ?? name, `127.0.0.1:${port}`),
        banner,
      )
      .replace(dirname(said('data')), '/tmp')
      .replaceAll(/svc_(read|feedback|write)_[\w-]{43}/g, 'svc_$1_…')

  it('is what it prints first, up to the vaults', () => {
    holdExcerpt(
      { page: 'README.md', name: 'start' },
      /^The local world[^]*?\n(?=\n {2}vaults)/m.exec(asAReaderSees())?.[0] ?? '',
    )
  })

  it('to paste into a client is what it prints, but for the key and the place of the program', () => {
    const [readme = [], page = []] = ['README.md', 'docs/clients.md'].map((file) =>
      [...readFileSync(join(repository, file), 'utf8').matchAll(/^```json\n([^]*?)```$/gm)].map(
        ([, block = '']) => JSON.parse(block) as unknown,
      ),
    )
    const [http, stdio] = [...asAReaderSees().matchAll(/^\{\n[^]*?^\}$/gm)].map(
      ([block]) => JSON.parse(block) as unknown,
    )
    const withKey = JSON.stringify(http).replace('svc_write_…', '${SVC_WRITE_KEY}')
    expect(readme).toContainEqual(JSON.parse(withKey))
    expect(page).toContainEqual(JSON.parse(withKey))
    expect(page).toContainEqual(
      JSON.parse(
        JSON.stringify(stdio)
          .replace(repository, '/path/to/this/repository/')
          .replace(/,"SVC_CHAINS_FILE":"[^"]*","SVC_REWARDS_URL":"[^"]*"/, ''),
      ),
    )
  })
})

describe('what svc up shows as "data" without --data-dir', () => {
  const place = () => ['--data-dir', said('data')]

  it('is known to svc policy explain, with chain and wallet', async () => {
    const client = await connectToWorld()
    const { plan } = await call(client, 'execute_swap', { ...swap, dryRun: true })
    await client.close()
    const { planId } = plan as { readonly planId: string }
    const explained = await runToEnd(['policy', 'explain', planId, ...place()])
    expect(explained).toMatchObject({ code: 0, stderr: expect.stringContaining(`wallet ${said('wallet')}`) })
  })

  it('is known to svc audit replay, with the chain', async () => {
    const client = await connectToWorld()
    await call(client, 'execute_swap', swap)
    await client.close()
    const today = new Date().toISOString().slice(0, 10)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const days = [today, yesterday].map((day) => runToEnd(['audit', 'replay', '--day', day, ...place()]))
    const reported = (await Promise.all(days)).map(({ stdout }) => stdout).join('')
    expect(reported).toMatch(/[1-9]\d* agree with the record, 0 differ, 0 could not be replayed/)
  })
})

describe('the examples', () => {
  const answers = {
    'lp-on-a-pool.mjs': /^WETH\/USDC at [^]*\nnet APR/,
    'register-agent.mjs': /^Agent 31337:\d+ of 0x\w{40} is registered now/m,
    'register-through-api.mjs': /^Agent 31337:\d+ is registered \(sdk-ipfs\)/m,
  }

  it.each(Object.entries(answers))('%s finds a plain start without being told where it is', async (name, answer) => {
    const TMPDIR = dirname(said('data'))
    leaveKilledWorld(TMPDIR)
    const example = run(process.execPath, [join(repository, 'examples', name)], { cwd: elsewhere, env: { TMPDIR } })
    expect({ code: await example.exited, ...example.printed }).toMatchObject({ code: 0, stderr: '' })
    expect(example.printed.stdout).toMatch(answer)
    await example.end()
  })

  // What speaks of its chain is to go with it: the next world has another.
  it('leave nothing where their reader stands', () => {
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it('find it by a file that is for its owner alone', () => {
    expect(statSync(join(said('data'), 'ready.json')).mode & 0o777).toBe(0o600)
  })
})

/** A newer world than ours, as a kill leaves it: nobody listens where its file says. */
function leaveKilledWorld(TMPDIR: string): void {
  const path = join(TMPDIR, 'svc-up-killed')
  mkdirSync(path, { recursive: true })
  const ready = { ready: true, mcp: { url: 'http://127.0.0.1:9/mcp' } }
  writeFileSync(join(path, 'ready.json'), JSON.stringify(ready))
  const later = Date.now() / 1000 + 60
  utimesSync(join(path, 'ready.json'), later, later)
}

function connectToWorld() {
  const keys = { read: said('read key'), feedback: said('feedback key'), write: said('write key') }
  return connect({ mcp: { url: said('MCP server'), keys } })
}

describe('the agent of a local world', () => {
  it('is registered with a card that the support API beside it pins, and finds itself there', async () => {
    const client = await connectToWorld()
    const registered = await call(client, 'register_agent', { role: 'vault_participant', chain: 'local' })
    expect(registered).toMatchObject({
      agentURI: expect.stringMatching(/^ipfs:/),
      notes: [],
    })
    const found = await call(client, 'query_agent_identity', { agentId: registered['agentId'], chain: 'local' })
    expect(found).toMatchObject({ agents: [{ card: { name: 'Local agent' } }] })
    await client.close()
  })
})
