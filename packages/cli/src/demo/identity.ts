import { registerAgent } from '@svc/wallet'
import { chains as publicChains } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import * as z from 'zod'
import type { World } from '../start-world.ts'
import type { Transcript } from './transcript.ts'
import { brief } from './wording.ts'

/** An agent out of nothing: a fresh empty wallet gets its gas from the faucet, and an identity whose file is pinned. */
export async function getIdentity({ world, transcript }: { world: World; transcript: Transcript }): Promise<void> {
  const { rpc, api } = world.ready
  transcript.chapter(
    'Get an identity',
    'A new agent has a key and nothing else. The support API gives it its first gas and pins its card; the registry ' +
      '(ERC-8004) does the rest.',
  )
  const wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: rpc.chainId,
    rpcUrls: { [rpc.chainId]: rpc.url },
    appId: api.appId,
  })
  transcript.row('new wallet', `${wallet.address}, empty`)
  const registered = await registerAgent(wallet, {
    name: 'Demo Keeper',
    description: 'Keeps a position in range.',
    role: 'vault_participant',
    chains: [world.devnet.chain],
    registry: { identity: world.ready.registry.address },
    apiUrl: api.url,
    env: {},
  })
  if (registered.status !== 'registered') throw new Error(`The registration is ${registered.status}`)
  const { agentId, agentURI, gasTier, registrationMethod, txHash } = registered
  if (gasTier !== 'faucet' || registrationMethod !== 'sdk-ipfs' || txHash === null) {
    throw new Error(`It was registered by ${registrationMethod}, with gas of the tier ${gasTier ?? 'none'}`)
  }
  transcript.row('gas', `0.01 from the faucet, which gives it to a wallet once (${api.url} shows it to people)`)
  transcript.row('identity', `${agentId}, in ${brief(txHash)}`)
  transcript.row('chain id', whyTheId(rpc.chainId))
  const cid = agentURI.replace(/^ipfs:\/\//, '')
  const answer = await fetch(`${api.url}/ipfs/${cid}`)
  const { name, description } = file.parse(await answer.json())
  transcript.row('its card', `${brief(cid)} at the gateway says: "${name}. ${description}"`)
}

/** Wallets ask the faucet unasked on a few public chains alone, so the local one takes the place of one of them here. */
function whyTheId(chainId: number): string {
  const { name } = publicChains.find(({ id }) => id === chainId) ?? { name: 'none' }
  return (
    `${chainId} is that of ${name}, a public test network: the local chain takes its place in this story, as the ` +
    'first gas comes unasked only on such. Nothing leaves this machine.'
  )
}

const file = z.object({ name: z.string(), description: z.string() })
