import type { Scene } from './scene.ts'
import * as shapes from './shapes.ts'
import { amount, brief, dollars } from './wording.ts'

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
