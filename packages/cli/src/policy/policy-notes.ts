import { catalogue, type Config } from '@svc/tool-server'
import { type Policy, priceSourceFaults } from '@svc/engine/policy'

/** What a policy may say and yet probably does not mean, a sentence each that begins with the member. */
export function policyNotes(policy: Policy, { chains }: Pick<Config, 'chains'>): readonly string[] {
  return [
    ...unknownTools(policy),
    ...unknownChains(policy, chains),
    ...priceSourceFaults(policy, chains).map(({ field, message }) => `${field}: says nothing: ${message}`),
    ...limitsThatStop(policy),
  ]
}

function unknownTools({ principals, valueRules }: Policy): readonly string[] {
  const writes = new Set(catalogue.filter(({ access: kind }) => kind === 'write').map(({ name }) => name))
  const lists = [
    ...Object.entries(principals).map(([id, { tools = [] }]) => [`principals.${id}.tools`, tools] as const),
    ['valueRules.tools', Object.keys(valueRules.tools)] as const,
  ]
  return lists.flatMap(([name, tools]) =>
    tools.flatMap((tool) => (writes.has(tool) ? [] : [`${name}: there is no write tool ${tool}`])),
  )
}

function unknownChains(policy: Policy, chains: Config['chains']): readonly string[] {
  const ids = new Set(chains.map(({ id }) => `${id}`))
  const lists = {
    'allowlist.tokens': policy.allowlist.tokens,
    contracts: policy.contracts,
    recipients: policy.recipients,
    spenders: policy.spenders,
    priceSources: policy.priceSources,
    'valueRules.pools': policy.valueRules.pools,
  }
  return Object.entries(lists).flatMap(([name, byChain]) =>
    Object.keys(byChain).flatMap((id) => (ids.has(id) ? [] : [`${name}.${id}: no chain of this server has this id`])),
  )
}

/** Limits that together allow less than each says, up to nothing at all. */
function limitsThatStop(policy: Policy): readonly string[] {
  const { limitsUsd, approvalThresholdUsd, approvals, maxDailyGasUsd } = policy
  const never =
    approvalThresholdUsd !== null && Number(approvalThresholdUsd) >= Number(limitsUsd.perTransaction)
      ? [
          `approvalThresholdUsd: no spend asks a person, since none may be above limitsUsd.perTransaction (${limitsUsd.perTransaction})`,
        ]
      : []
  const nobody =
    approvals.channels.length === 0
      ? ['approvals.channels: nobody can say yes, so whatever needs a person is never carried out']
      : []
  const noGas =
    maxDailyGasUsd !== undefined && Number(maxDailyGasUsd) === 0
      ? ['maxDailyGasUsd: without gas only what brings funds home is signed, and little of that']
      : []
  return [...never, ...nobody, ...noGas]
}
