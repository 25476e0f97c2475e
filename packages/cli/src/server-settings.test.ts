import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { replay } from './audit/audit-words.ts'
import { explain } from './policy/explain.ts'
import { runCases } from './policy/check.ts'
import { readServerSettings } from './server-settings.ts'

let dataDir = ''
const put = (name: string, content: unknown): string => {
  const path = join(dataDir, name)
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 })
  return path
}
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-settings-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true })
})

const worldKey = `0x${'11'.repeat(32)}`
const worldWallet = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const otherKey = `0x${'22'.repeat(32)}`
const otherWallet = '0x1563915e194D8CfBA1943570603F7606A3115508'

/** What `svc up` leaves, under the id of a public chain, with an endpoint that nobody serves any more. */
const putWorld = () => {
  put('local-world.json', { privateKey: worldKey })
  return put('chains.json', [{ id: 8453, confirmations: 77, publicRpcUrls: ['http://127.0.0.1:1'] }])
}

const confirmationsOn8453 = async (environment: Readonly<Record<string, string>> = {}) => {
  const { config } = await readServerSettings(dataDir, environment)
  return config.chains.find(({ id }) => id === 8453)?.confirmations
}

describe('the settings a command works on', () => {
  it('are those of a local world in its directory, chains and wallet', async () => {
    const path = putWorld()
    const { worldChains, wallet } = await readServerSettings(dataDir, {})
    expect([worldChains, wallet]).toEqual([
      { path, ids: new Set([8453]) },
      { address: worldWallet, from: join(dataDir, 'local-world.json') },
    ])
    expect(await confirmationsOn8453()).toBe(77)
  })

  it.each(['environment', '.env'])('are what the %s names before that', async (place) => {
    putWorld()
    const given = { SVC_CHAINS_FILE: put('other.json', [{ id: 8453, confirmations: 5 }]), PRIVATE_KEY: otherKey }
    const lines = Object.entries(given).map(([name, value]) => `${name}=${value}\n`)
    if (place === '.env') writeFileSync(join(dataDir, '.env'), lines.join(''), { mode: 0o600 })
    const environment = place === '.env' ? {} : given
    const { worldChains, wallet } = await readServerSettings(dataDir, environment)
    expect([worldChains, wallet]).toEqual([null, { address: otherWallet, from: null }])
    expect(await confirmationsOn8453(environment)).toBe(5)
  })

  it('are the built-in ones in a directory that is no local world, whatever chains.json it holds', async () => {
    putWorld()
    rmSync(join(dataDir, 'local-world.json'))
    const { worldChains, wallet } = await readServerSettings(dataDir, {})
    expect([worldChains, wallet]).toEqual([null, null])
    expect(await confirmationsOn8453()).not.toBe(77)
  })
})

describe('a command for which nobody named chains or wallet', () => {
  const intent = {
    chainId: 31_337,
    calls: [],
    atomicity: 'single',
    spends: [],
    receives: [],
    approvals: [],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [],
    why: 'nothing',
  }

  it('names both ways to name them', async () => {
    const bothWays = /SVC_CHAINS_FILE, or with --data-dir the directory of the local world/
    await expect(explain([put('plan.json', intent), '--data-dir', dataDir])).rejects.toThrow(bothWays)
    const onBase = put('plan.json', { ...intent, chainId: 8453 })
    await expect(explain([onBase, '--data-dir', dataDir])).rejects.toThrow(
      /--wallet ADDRESS, or with --data-dir the directory of its local world/,
    )
  })

  it('runs cases without a wallet for the one of the local world, and says so', async () => {
    const cases = put('policy.test.json', {
      cases: [{ name: 'x', intent: { ...intent, chainId: 8453, recipients: [worldWallet] }, expect: 'deny' }],
    })
    const printed: string[] = []
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
    }
    expect(await runCases([cases, '--data-dir', dataDir])).toBe(1)
    expect(printed.splice(0).join('')).toContain("wallet: accepted: the address of the agent's wallet")
    putWorld()
    expect(await runCases([cases, '--data-dir', dataDir])).toBe(0)
    expect(printed.join('')).toContain(`wallet ${worldWallet} from ${join(dataDir, 'local-world.json')}.\n`)
  })

  it('replays nothing on a chain that is gone', async () => {
    putWorld()
    writeFileSync(join(dataDir, 'audit.jsonl'), '')
    await expect(replay(['--day', '2026-01-31', '--data-dir', dataDir])).rejects.toThrow(
      /does not answer at http:\/\/127\.0\.0\.1:1: it ends with its svc up\. Name an endpoint .* --rpc-url URL/,
    )
  })
})
