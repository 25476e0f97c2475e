import { readPolicyFile } from '@svc/engine/policy'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { ToolError } from '@svc/amm'
import { requireAsking, saysYes, type Terminal } from '../ask-on-terminal.ts'
import { endedWorld } from '../lp/ask-pool.ts'
import { sayTaken } from '../server-settings.ts'
import { policyPlace, printProblems } from './policy-place.ts'
import { proposalText, proposeToken, type TokenProposal } from './propose-token.ts'
import { replacePolicy } from './edit-policy.ts'
import { readTokenRequest, readTokenWords, type TokenWords } from './token-words.ts'

/**
 * `svc policy add-token CHAIN TOKEN`: proposes what a token's price is taken from and, once a person has said yes, writes it and
 * the token into the policy file. Resolves to 1 where nothing can be proposed or the person says no; then nothing is written.
 */
export async function addToken(
  argv: readonly string[],
  stopped: Promise<StopCause>,
  terminal: Terminal = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const words = readTokenWords(argv)
  const { flags } = words
  const settings = await policyPlace(flags['data-dir'], flags.policy ?? null, process.env)
  const { config, path } = settings
  const request = readTokenRequest(words, config.chains)
  requireAsking(flags, terminal)
  sayTaken({ ...settings, wallet: null })
  try {
    const file = await readPolicyFile(path)
    const production = config.production || flags.production
    const proposal = await proposeToken(request, { config, file, production })
    if (!flags.json) process.stdout.write(proposalText(proposal))
    const outcome = await outcomeOf(proposal, { path, sha256: file?.sha256 ?? null, flags, terminal, stopped })
    const said = () => sentences[outcome.status](path, outcome, proposal)
    process.stdout.write(flags.json ? jsonOf(proposal, outcome, path) : `${said()}\n`)
    return outcome.status === 'refused' || outcome.status === 'declined' ? 1 : 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const isOfWorld = settings.worldChains?.ids.has(request.chain.id) === true
    const ended = isOfWorld ? await endedWorld(error, config.dataDir) : null
    if (ended !== null) throw ended
    printProblems('svc policy add-token', error)
    return 1
  }
}

type Outcome = {
  readonly status: 'added' | 'unchanged' | 'proposed' | 'declined' | 'refused'
  readonly backup: string | null
}

type Asking = {
  readonly path: string
  readonly sha256: string | null
  readonly flags: TokenWords['flags']
  readonly terminal: Terminal
  readonly stopped: Promise<StopCause>
}

async function outcomeOf(
  { sources, band, isChanged, written }: TokenProposal,
  { path, sha256, flags, terminal, stopped }: Asking,
): Promise<Outcome> {
  const isNamed = sources.feed !== undefined || (sources.pools ?? []).length > 0
  if (!isNamed || band === null) return { status: 'refused', backup: null }
  if (!isChanged) return { status: 'unchanged', backup: null }
  if (!flags.yes && flags.json) return { status: 'proposed', backup: null }
  if (!flags.yes && !(await saysYes(`Write this to ${path}?`, terminal, stopped))) {
    return { status: 'declined', backup: null }
  }
  const { backup } = await replacePolicy(path, written, sha256)
  return { status: 'added', backup }
}

const sentences: Readonly<Record<Outcome['status'], Sentence>> = {
  added: (path, { backup }) =>
    `Written to ${path}${backup === null ? '' : `; what stood there before is in ${backup}`}.`,
  unchanged: (path) => `${path} says so already. Nothing was written.`,
  proposed: () => 'Nothing was written.',
  declined: () => 'Nothing was written: only the word yes, written out, writes it.',
  refused: (_path, _outcome, { speculativeUsd }) =>
    'Nothing can be proposed, so nothing was written. A feed can be named with --feed. To list it all the same, write its address into ' +
    `allowlist.tokens: it is bought for no more than speculativeUsd a day (${
      speculativeUsd === 0 ? 'which is 0 now: set it too' : `${speculativeUsd} now`
    }), and sold only with a person.`,
}

type Sentence = (path: string, outcome: Outcome, proposal: TokenProposal) => string

function jsonOf(proposal: TokenProposal, { status, backup }: Outcome, path: string): string {
  const { chain, token, blockNumber, sources, band } = proposal
  const pools = proposal.pools.map(({ candidate: { row, quote, depthUsd, depthSeconds, usd }, record, doubt }) => ({
    ...row,
    quoteSymbol: quote.symbol,
    depthUsd,
    depthSeconds,
    usd,
    isWeekOld: record?.isWeekOld ?? null,
    volume7dUsd: record?.volume7dUsd ?? null,
    proposed: doubt === null,
    why: doubt,
  }))
  return `${JSON.stringify({ status, chainId: chain.id, token, blockNumber, pools, sources, band, file: path, backup })}\n`
}
