import { useDevnet } from '@svc/devnet/testing'
import { generatePrivateKey } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createMemoryRegistrationRecords } from './registration/registration-records.ts'
import { registerAgent } from './register-agent.ts'
import type { AgentRegistrationConfig } from './registration/registration.ts'

const devnet = useDevnet()

let wallet: ServiceWallet
let restart: () => Promise<void>
beforeEach(async () => {
  const rpcUrls = { 31337: devnet().rpcUrl }
  wallet = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
  await devnet().fund(wallet.address, { ETH: '1' })
  restart = await devnet().checkpoint()
  await register()
  await restart()
})

test('of an agent that a local chain forgot is said that the chain was restarted, and how to go on', async () => {
  await expect(register()).rejects.toMatchObject({
    code: 'AGENT_NOT_FOUND',
    message: expect.stringMatching(/^The local chain was restarted: /),
    suggestion: expect.stringMatching(/new records and a new journal, or with a new wallet object/),
  })
  const anew = { records: createMemoryRegistrationRecords(), journal: createMemoryJournal({ now: Date.now }) }
  expect(await register(anew)).toMatchObject({ status: 'registered', alreadyRegistered: false })
})

test('of a chain that is not local is said that its endpoint may be behind', async () => {
  const chains = [{ ...devnet().chain, local: false }]
  await expect(register({ chains })).rejects.toMatchObject({
    code: 'RPC_UNAVAILABLE',
    suggestion: expect.stringMatching(/not behind/),
  })
})

test('nothing is signed by a journal that the chain forgot', async () => {
  await expect(register({ force: true })).rejects.toMatchObject({
    code: 'NONCE_AHEAD_OF_CHAIN',
    suggestion: expect.stringMatching(/fresh journal, or a new wallet object/),
  })
})

function register(change: Partial<AgentRegistrationConfig> = {}) {
  const registry = { identity: devnet().registry.identity }
  const own = { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline' } as const
  return registerAgent(wallet, { ...own, registry, env: {}, ...change })
}
