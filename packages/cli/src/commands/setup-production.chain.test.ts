import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletProviderServer, type WalletProviderServer } from '@svc/test-utils'
import { readConfig } from '@svc/tool-server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { setupProduction } from './setup-production.ts'

const devnet = useDevnet()
let parent: string
let dataDir: string
let provider: WalletProviderServer
let environment: Readonly<Record<string, string>>

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'svc-production-'))
  dataDir = join(parent, 'data')
  provider = await createWalletProviderServer()
  writeFileSync(join(parent, 'chains.json'), JSON.stringify([devnet().chain]))
  environment = {
    SVC_WALLET_API_URL: provider.url,
    SVC_CHAINS_FILE: join(parent, 'chains.json'),
    SVC_IPFS_MODE: 'inline',
    NODE_ENV: 'production',
  }
})
afterEach(async () => {
  await provider.close()
  rmSync(parent, { recursive: true, force: true })
})

const spoken = () => ({
  'wallet-provider': 'privy',
  'wallet-app-id': provider.appId,
  'rpc-provider': devnet().rpcUrl,
  chains: devnet().chain.name,
  role: 'vault_manager',
  'deploy-target': 'local',
})

const wordsOf = (flags: Readonly<Record<string, string>>) =>
  Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value])

async function run(change: Readonly<Record<string, string>> = {}, ...switches: readonly string[]) {
  const words = [
    'production',
    '--data-dir',
    dataDir,
    '--non-interactive',
    ...switches,
    ...wordsOf({ ...spoken(), ...change }),
  ]
  return callCommand(['setup', ...words], environment)
}

const secretFile = () => {
  const path = join(parent, 'secret')
  writeFileSync(path, `${provider.appSecret}\n`, { mode: 0o600 })
  return { 'wallet-app-secret-file': path }
}
const files = () =>
  Object.fromEntries(
    readdirSync(dataDir)
      .filter((name) => /^(\.env|owner-key|setup)/.test(name))
      .map((name) => [name, readFileSync(join(dataDir, name), 'utf8')]),
  )
const modeOf = (name: string) => statSync(join(dataDir, name)).mode & 0o777

describe('svc setup production --non-interactive', () => {
  it('makes a wallet behind its policy, writes what a server of production starts with, and changes nothing the second time', async () => {
    const { code, stdout, stderr } = await run(secretFile(), '--json')
    const done = JSON.parse(stdout) as Record<string, unknown> & {
      address: `0x${string}`
      health: { checks: unknown[] }
    }
    expect([done, code]).toMatchObject([{ health: { ok: true }, deployment: { deployed: false } }, 0])
    expect(done['identity']).toMatch(/^not registered yet\. Ask the operator to send/)
    expect(stderr.match(/^\d+\/10 [A-Z].*: /gm)).toHaveLength(10)
    for (const name of ['.env', 'owner-key.txt', 'setup.json']) expect([name, modeOf(name)]).toEqual([name, 0o600])
    const config = readConfig({ SVC_DATA_DIR: dataDir })
    expect(config).toMatchObject({ production: true, profile: 'full', wallet: { type: 'managed' } })
    expect(config.rpc.urls.has(devnet().chain.id)).toBe(true)
    for (const secret of [provider.appSecret, files()['owner-key.txt']?.trim() ?? '']) {
      expect(`${stdout}${stderr}`).not.toContain(secret)
    }

    const before = files()
    const wallets = () =>
      provider.requests().filter(({ method, url }) => method === 'POST' && url.endsWith('/v1/wallets'))
    expect(wallets()).toHaveLength(1)
    await devnet().fund(done.address, { ETH: '1' })
    const second = JSON.parse((await run({}, '--json')).stdout) as Record<string, unknown>
    expect(second).toMatchObject({ changed: [], backup: null, walletId: done['walletId'] })
    expect(second['identity']).toMatch(/^registered as /)
    expect(JSON.parse((await run({}, '--json')).stdout)).toMatchObject({
      identity: expect.stringMatching(/as before\.$/),
    })
    expect(JSON.parse((await run({}, '--json', '--skip-identity')).stdout)).toMatchObject({
      identity: expect.stringMatching(/as was asked/),
    })
    expect(files()).toEqual(before)
    expect(wallets()).toHaveLength(1)
  })

  it('names all that is missing or makes no sense at once, and writes nothing', async () => {
    const { code, stderr } = await callCommand(
      ['setup', 'production', '--non-interactive', '--role', 'king', '--data-dir', dataDir],
      environment,
    )
    expect(code).toBe(2)
    for (const flag of ['wallet-app-id', 'wallet-app-secret', 'rpc-provider', 'role', 'deploy-target'])
      expect(stderr).toContain(`--${flag}`)
    expect(stderr).toContain('WALLET_APP_SECRET')
    expect((await run({ ...secretFile(), 'rpc-provider': 'alchemy' })).stderr).toContain(
      '--rpc-api-key (or --rpc-api-key-file) is missing',
    )
    expect(existsSync(dataDir)).toBe(false)
    expect(provider.requests()).toEqual([])
  })

  it('takes a secret from its flag with a warning, and from no two places', async () => {
    const warned = await run({ 'wallet-app-secret': provider.appSecret }, '--skip-identity')
    expect(warned.code).toBe(0)
    expect(warned.stderr).toContain('--wallet-app-secret can be read in the list of processes')
    expect(await run({ ...secretFile(), 'wallet-app-secret': 'x' })).toMatchObject({ code: 2 })
  })

  it('keeps what stands in the environment file, and takes a raw key out of it, the former file beside it', async () => {
    await callCommand(['setup', '--zero', '--data-dir', dataDir])
    const former = readFileSync(join(dataDir, '.env'), 'utf8')
    writeFileSync(join(dataDir, '.env'), `${former}LOG_LEVEL=warn\n`, { mode: 0o600 })
    const { code } = await run(secretFile(), '--skip-identity')
    expect(code).toBe(0)
    const now = readFileSync(join(dataDir, '.env'), 'utf8')
    expect(now).toContain('LOG_LEVEL=warn\n')
    expect(now).not.toMatch(/^PRIVATE_KEY=/m)
    for (const [line] of former.matchAll(/^SVC_API_KEY_.*$/gm)) expect(now).toContain(line)
    expect([readFileSync(join(dataDir, '.env.bak'), 'utf8'), modeOf('.env.bak')]).toEqual([
      `${former}LOG_LEVEL=warn\n`,
      0o600,
    ])
  })

  it('writes nothing where the provider refuses, shows another policy than it was given, or does not keep to it', async () => {
    const refused = await run({ 'wallet-app-secret': 'another-secret' })
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('does not accept the credentials')])
    provider.setFaults([{ fault: 'altered', methods: ['policies'] }])
    const altered = await run(secretFile())
    expect([altered.code, altered.stderr]).toEqual([1, expect.stringContaining('not as it was asked for')])
    provider.setFaults([{ fault: 'lax' }])
    const lax = await run(secretFile())
    expect([lax.code, lax.stderr]).toEqual([1, expect.stringContaining('what its policy forbids. Send nothing')])
    expect(existsSync(dataDir)).toBe(false)
  })

  it('says of a wallet whose policy is another one that it is, and changes nothing', async () => {
    await run(secretFile(), '--skip-identity')
    const before = files()
    const other = await run({ role: 'vault_participant' })
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('not as role and chains say')])
    expect(files()).toEqual(before)
  })

  it('writes the files of a target, and says that nothing was deployed', async () => {
    const { stdout, stderr } = await run({ ...secretFile(), 'deploy-target': 'fly' }, '--json', '--skip-identity')
    const { deployment } = JSON.parse(stdout) as { deployment: { files: string[] } }
    expect(deployment).toMatchObject({
      deployed: false,
      command: expect.stringContaining(`${dataDir}/deploy/fly.toml`),
    })
    expect(stderr).toMatch(/^7\/10 Deployment: not deployed\. Files: .* Run: fly /m)
    for (const file of deployment.files) expect(readFileSync(file, 'utf8')).not.toContain(provider.appSecret)
    expect(deployment.files).toHaveLength(1)
  })

  it('says of a container that no runtime is here to start it, and keeps the files and the command', async () => {
    environment = { ...environment, PATH: parent }
    const words = ['--json', '--skip-identity']
    const { stdout, stderr } = await run({ ...secretFile(), 'deploy-target': 'container' }, ...words)
    const { deployment } = JSON.parse(stdout) as { deployment: { deployed: boolean; files: string[] } }
    expect(deployment).toMatchObject({ deployed: false, command: expect.stringContaining('docker compose -f') })
    expect(stderr).toMatch(/^7\/10 Deployment: not deployed\. There is no container runtime .* Run: docker compose/m)
    expect(readFileSync(deployment.files[0] ?? '', 'utf8')).toContain(`user: "${process.getuid?.()}:`)
  })
})

describe('svc setup production, asking', () => {
  /** A person at a terminal: waits for each question and types the answer. */
  async function converse(answers: readonly (readonly [RegExp, string])[], ...switches: readonly string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input })
    const output = Object.assign(new PassThrough(), { columns: 120, rows: 40, isTTY: true })
    let seen = ''
    let all = ''
    output.on('data', (chunk: Buffer) => {
      seen += chunk.toString('utf8')
      all += chunk.toString('utf8')
    })
    const before = process.env
    process.env = { ...environment }
    const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true))
    try {
      const ended = setupProduction(['--data-dir', dataDir, ...switches], () => dataDir, new Promise<never>(() => {}), {
        input,
        output,
      })
      for (const [question, typed] of answers) {
        await expect.poll(() => seen, { interval: 10 }).toMatch(question)
        seen = ''
        input.write(typed)
      }
      return { code: await ended, shown: all }
    } finally {
      process.env = before
      for (const spy of spies) spy.mockRestore()
    }
  }

  const conversation = (): (readonly [RegExp, string])[] => [
    [/Wallet provider/, '\r'],
    [/App id/, `${provider.appId}\r`],
    [/App secret/, `${provider.appSecret}\r`],
    [/Chains on which/, `${devnet().chain.name}\r`],
    [/Endpoints/, `${devnet().rpcUrl}\r`],
    [/Role/, '\r'],
    [/Where the server/, '\r'],
    [/Make the wallet/, '\r'],
  ]

  it('asks in the order of the steps, hides the secret, and sets up', async () => {
    const { code, shown } = await converse(conversation(), '--skip-identity')
    expect(code).toBe(0)
    expect(shown).not.toContain(provider.appSecret)
    expect(readConfig({ SVC_DATA_DIR: dataDir })).toMatchObject({ production: true, wallet: { type: 'managed' } })
  })

  it('leaves nothing behind where the person leaves, at whichever question', async () => {
    const questions = conversation()
    for (const [index, [question]] of questions.entries()) {
      const { code } = await converse([...questions.slice(0, index), [question, '\u0003']], '--skip-identity')
      expect([index, code]).toEqual([index, 130])
    }
    expect(existsSync(dataDir)).toBe(false)
    expect(provider.requests()).toEqual([])
  })

  it('asks nothing that flags have said, and refuses without a terminal', async () => {
    const words = wordsOf({ ...spoken(), ...secretFile() })
    const { code } = await converse([[/Make the wallet/, '\r']], '--skip-identity', ...words)
    expect(code).toBe(0)
    const none = await callCommand(['setup', 'production', '--data-dir', dataDir], environment)
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('--non-interactive') })
  })
})
