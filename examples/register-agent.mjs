// Makes a wallet and registers it as an agent on the local chain of `npm start`, offline:
//
//   npm start                           in one terminal
//   node examples/register-agent.mjs    in another
//
// What the agent must remember, its keystore among it, stays in a folder: agent in the world's data directory, which goes with its
// chain, or --folder FOLDER. Run it again, and it finds the identity that it has. It finds the world by itself; --world FILE names
// the ready.json of another.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  createFileJournal,
  createFileRegistrationRecords,
  getAgent,
  openKeystore,
  registerAgent,
  ServiceWallet,
  writeKeystore,
} from '@svc/wallet'
import { createTestClient, http, parseEther } from 'viem'
import { localWorld } from './local-world.mjs'

const { values: words } = parseArgs({ options: { world: { type: 'string' }, folder: { type: 'string' } } })
const { rpc, registry, folder: ofWorld } = await localWorld(words.world)
const folder = words.folder ?? join(ofWorld, 'agent')

// A key that is encrypted on disk. On a real host the passphrase comes from a prompt, a file of mode 0600 or the environment.
mkdirSync(folder, { recursive: true, mode: 0o700 })
const keystore = join(folder, 'keystore.json')
const passphrase = 'a passphrase for a world in which nothing is worth anything'
if (!existsSync(keystore)) await writeKeystore(keystore, `0x${randomBytes(32).toString('hex')}`, passphrase)

const wallet = new ServiceWallet({
  mode: 'local',
  privateKey: await openKeystore(keystore, passphrase),
  chainId: rpc.chainId,
  rpcUrls: { [rpc.chainId]: rpc.url },
})
// The local chain gives ether to whoever asks.
const chain = createTestClient({ mode: 'anvil', transport: http(rpc.url) })
await chain.setBalance({ address: wallet.address, value: parseEther('1') })

const journal = createFileJournal(join(folder, 'journal.jsonl'))
const result = await registerAgent(wallet, {
  name: 'Ada',
  role: 'vault_manager',
  mcpEndpoint: 'https://agent.example/mcp',
  ipfsMode: 'inline',
  registry: { identity: registry.address },
  journal,
  records: createFileRegistrationRecords(join(folder, 'registrations.json')),
  onProgress: ({ step, message }) => console.log(`${step.padEnd(14)} ${message}`),
})
await journal.close()

if (result.status !== 'registered') {
  // Pending: a transaction is out. Deferred: the wallet lacks gas. Either way this goes on where it stopped:
  console.log(`${result.status}; later: registerAgent(wallet, { ...options, resume: '${result.resumeToken}' })`)
  process.exit(1)
}
const { agentId, registrationMethod, alreadyRegistered, owner } = result
const how = alreadyRegistered ? 'was registered before' : `is registered now (${registrationMethod})`
console.log(`\nAgent ${agentId} of ${owner} ${how}.`)

// What anybody can read of it, without a wallet.
const { metadata, registrationFile } = await getAgent({
  agentId,
  rpcUrls: wallet.rpcUrls,
  registry: { identity: registry.address },
})
console.log(`The registry says it is a ${metadata.role}, reached at ${registrationFile?.services[0]?.endpoint}.`)
