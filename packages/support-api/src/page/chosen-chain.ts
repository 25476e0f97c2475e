import type { PageView } from './view.ts'

/** The chain that the form stands at: the one in the fields, else the first that serves. */
export function chosenChain({ fields, chains, faucet }: PageView): number | undefined {
  const named = chains.find(({ id }) => `${id}` === fields.chainId)
  const serving = faucet.kind === 'open' ? faucet.report.chains.find(({ enabled }) => enabled) : undefined
  return named?.id ?? serving?.chainId ?? chains[0]?.id
}
