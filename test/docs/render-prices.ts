import type { Chain, ChainToken } from '@svc/wallet/core'
import { zeroAddress } from 'viem'

/** The tables of `docs/prices.md`: what each chain's rows name, and how long full nodes keep the past there. */
export function renderNamedSources(chains: readonly Chain[]): string {
  const perChain = chains.map((chain) => {
    const minutes = (128 * chain.blockTimeSeconds) / 60
    return `| ${chain.name} | ${minutes.toFixed(1)} | ${code(chain.sequencerUptimeFeed?.address)} |`
  })
  const perToken = chains.flatMap((chain) => chain.tokens.map((token) => `| ${chain.name} | ${cells(chain, token)} |`))
  return `| chain | minutes of 128 blocks | sequencer feed |
|---|---:|---|
${perChain.join('\n')}

| chain | token | feed | answers anew after | pools |
|---|---|---|---|---|
${perToken.join('\n')}`
}

type Pool = NonNullable<NonNullable<ChainToken['priceSources']>['pools']>[number]

function cells(chain: Chain, { symbol, priceSources }: ChainToken): string {
  const feed = priceSources?.feed
  const renewal = feed === undefined ? '' : `${feed.heartbeatSeconds} s, ${feed.deviationBps / 100} %`
  const pools = (priceSources?.pools ?? []).map((pool) => poolName(chain, pool))
  return [symbol, code(feed?.address), renewal, pools.join(', ')].join(' | ')
}

function poolName(chain: Chain, { version, fee, quote }: Pool): string {
  const symbol = chain.tokens.find(({ address }) => address === quote)?.symbol
  const against = quote === zeroAddress ? chain.nativeCurrency.symbol : symbol
  return `${version} ${against} ${fee / 10_000} %`
}

function code(address: string | undefined): string {
  return address === undefined ? '' : `\`${address}\``
}
