import { registerAgent } from '@svc/wallet'
import { chains as publicChains } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import * as z from 'zod'
import type { World } from '../start-world.ts'
import { type Transcript, brief, amount, dollars } from './transcript.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import * as shapes from './shapes.ts'
import type { Trader } from '@svc/devnet'
import type { Agent } from './agent.ts'

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

/** By an order that is opened on one chain, and filled by a relayer on another. */
export async function moveToOtherChain({ agent, transcript, world }: Scene): Promise<void> {
  const { chain: there } = world.ready.crossChain
  transcript.chapter(
    'Move to another chain',
    'What leaves here is paid there by a stranger, or comes back: the server follows both chains until one has decided.',
  )
  const held = async () => {
    const { tokens } = await agent.look('get_agent_balance', { chain: there }, shapes.balance)
    return `${amount(tokens.find(({ symbol }) => symbol === 'USDC')?.amount ?? '0', 'USDC')} on ${there}`
  }
  const before = await held()
  const input = { tokenIn: 'USDC', tokenOut: 'USDC', amount: '1000', chain: 'local', destinationChain: there }
  const opened = await agent.call('submit_cross_chain_intent', input, shapes.opened)
  transcript.row('before', before)
  const least = amount(opened.minAmountOut, 'USDC')
  transcript.row('opened', `in ${brief(opened.txHash)}: ${amount(opened.amountIn, 'USDC')} for at least ${least} there`)
  const { operationId } = opened
  transcript.asked('get_operation', { operationId })
  for (;;) {
    const { state, result } = await agent.look('get_operation', { operationId }, shapes.crossing)
    const { amountOut, txHash } = result.destination
    if (state !== 'open') {
      if (amountOut === null || txHash === null) throw new Error(`The order is ${state}`)
      transcript.row(state, `${amount(amountOut, 'USDC')} came in ${brief(txHash)}, which the relayer paid for`)
      transcript.row('after', await held())
      return
    }
    await sleep(200)
  }
}

/** In and out of a vault that the policy names. */
export async function useVault({ agent, transcript, world }: Scene): Promise<void> {
  transcript.chapter(
    'Use a vault',
    'A vault is code of others: the policy names those that may be used, and what comes back is simulated before anything leaves.',
  )
  const place = { vault: world.ready.vaults[0]?.address, chain: 'local' }
  const look = () => agent.look('get_vault_info', place, shapes.vault)
  const show = (when: string, seen: Awaited<ReturnType<typeof look>>) => {
    const { shares, shareSymbol, balance, assetSymbol, totalAssets } = seen
    const wallet = `${amount(balance, assetSymbol)} and ${amount(shares, shareSymbol)} in the wallet`
    transcript.row(when, `${wallet}, ${amount(totalAssets, assetSymbol)} in the vault`)
  }
  const before = await look()
  const put = await agent.call('vault_deposit', { ...place, amount: '1000' }, shapes.deposited)
  show('before', before)
  transcript.row('deposited', `${amount(put.deposited, before.assetSymbol)} in ${brief(put.txHash)}`)
  show('after', await look())
  const out = await agent.call('vault_withdraw', place, shapes.withdrawn)
  const came = `${amount(out.withdrawn, before.assetSymbol)} in ${brief(out.txHash)}`
  transcript.row('withdrawn', `${came}, for ${dollars(out.gasCostUsd)} of gas`)
  show('after', await look())
}

/** What a chapter of the story has before it. */
export type Scene = {
  readonly world: World
  readonly agent: Agent
  readonly transcript: Transcript
  /** Others, who trade from the first chapter to the last. */
  readonly trader: Trader
}
