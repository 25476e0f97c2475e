import { createWalletProviderServer } from '@svc/test-utils'
import {
  createEIP1193Provider,
  createFileJournal,
  createFileRegistrationRecords,
  registerAgent,
  ServiceWallet,
  WalletError,
} from '@svc/wallet'
import type { AgentRegistrationConfig, RegistrationResult } from '@svc/wallet'
import { chains, findChain } from '@svc/wallet/core'
import { createWalletClient, custom, verifyMessage, type Hex } from 'viem'

// The program of somebody who installed the packages: everything it says goes to stdout as one line of JSON.
const [rpcUrl = '', registry = '', localKey = '', managedSeed = '', folder = '.'] = process.argv.slice(2)
const isHex = (text: string): text is Hex => text.startsWith('0x')
if (!isHex(registry)) throw new TypeError(`no address: ${registry}`)

const common = { chainId: 31337, rpcUrls: { 31337: rpcUrl } }
const local = new ServiceWallet({ mode: 'local', privateKey: localKey, ...common })
const steps: string[] = []
const journal = createFileJournal(`${folder}/journal.jsonl`)
const options: AgentRegistrationConfig = {
  name: 'Ada',
  role: 'vault_manager',
  mcpEndpoint: 'https://agent.example/mcp',
  ipfsMode: 'inline',
  registry: { identity: registry },
  journal,
  records: createFileRegistrationRecords(`${folder}/registrations.json`),
  onProgress: ({ step }) => steps.push(step),
}
const first = idOf(await registerAgent(local, options))
const again = idOf(await registerAgent(local, options))

const providerServer = await createWalletProviderServer({ seed: managedSeed })
const { walletId, address, authPrivateKey } = await providerServer.createWallet()
const { appId, appSecret, url: apiUrl } = providerServer
const managed = new ServiceWallet({ mode: 'managed', appId, appSecret, walletId, authPrivateKey, apiUrl, ...common })
const client = createWalletClient({ account: address, transport: custom(createEIP1193Provider(managed)) })
const signature = await client.signMessage({ message: 'hello' })
const isSignedByManaged = await verifyMessage({ address, message: 'hello', signature })
await providerServer.close()

const refused = await registerAgent(local, { ...options, chainId: 10, registry: {} }).catch((error: unknown) => error)
await journal.close()
console.log(
  JSON.stringify({
    owner: local.address,
    first,
    again,
    isSignedByManaged,
    refusal: refused instanceof WalletError ? refused.code : String(refused),
    docs: refused instanceof WalletError ? refused.docs : null,
    base: findChain(chains, 'base')?.id,
    steps,
  }),
)

function idOf(result: RegistrationResult) {
  if (result.status !== 'registered') throw new Error(`It is ${result.status}: ${result.code}.`)
  const { agentId, agentURI, registrationMethod, alreadyRegistered } = result
  return { agentId, agentURI, registrationMethod, alreadyRegistered }
}
