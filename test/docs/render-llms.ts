import type { Tool } from '@svc/tool-server'
import { firstSentence } from './render-tools.ts'

/** llms.txt: where a program that reads finds what. Throws for a page of `docs` that stands in no list, or in two. */
export function renderLlms(
  catalogue: readonly Tool[],
  pages: readonly string[],
  packages: readonly { readonly folder: string; readonly name: string; readonly description: string }[],
): string {
  const listed = Object.values(guides).flatMap((group) => Object.keys(group))
  const differing = [
    ...pages.filter((page) => !listed.includes(page)),
    ...listed.filter((page) => !pages.includes(page)),
  ]
  if (differing.length > 0) throw new Error(`test/docs/render-llms.ts: in one list only: ${differing.join(', ')}`)
  const sections = Object.entries(guides).map(([title, group]) => {
    const links = Object.entries(group).map(([page, says]) => `- [${page.replace(/^docs\//, '')}](${page}): ${says}`)
    return `## ${title}\n\n${links.join('\n')}\n`
  })
  const tools = catalogue.map(
    ({ name, description, access }) => `- [${name}](docs/tools.md#${name}) (${access}): ${firstSentence(description)}`,
  )
  const named = packages.map(({ folder, name, description }) => `- [${name}](${folder}/README.md): ${description}`)
  return [
    heading,
    ...sections,
    `## Tools of the MCP server\n\n${tools.join('\n')}\n`,
    `## Packages\n\n${named.join('\n')}\n`,
  ].join('\n')
}

const heading = `# svc

> An MCP tool server, wallet library and support API that let an AI agent manage on-chain liquidity (Uniswap v2, v3, v4) without being able to hurt its owner.

Every write is simulated, held against the operator's policy, counted against spending limits and journalled before its first byte is sent. All of it runs
offline: \`npm ci && npm start\`. Errors are \`{ code, message, retryable, suggestion, details[] }\`. Amounts are decimal strings in whole tokens.
`

/** Every page of `docs` but the decisions. */
const guides: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Start here': {
    'README.md': 'what it is, and how to run it in a minute',
    'docs/first-operator.md':
      'the first hour of an operator, as it was printed: set-up, deposit, alert, backup, restore, failover',
    'docs/demo.md': 'the life of a position, and an agent that attacks its owner',
    'docs/first-identity.md': 'from an empty folder to an identity of an agent, in TypeScript',
    'docs/guide-lp-analytics.md': 'which pool, which range, was it worth it: a program with what it prints',
  },
  'For agents and their clients': {
    'docs/tools.md': 'every tool with its parameters and results',
    'docs/errors.md': 'every code, whether to retry, what to do',
    'docs/clients.md': 'how clients connect, sign in, take tasks, prompts and resources',
    'docs/access.md': 'who may call which tool, and what everybody else hears',
    'docs/analytics.md': 'what the LP models say, and how sure they are',
  },
  'For operators': {
    'docs/production.md': 'from the local world to real money, step by step',
    'docs/setup.md': 'what set-up asks, and what clients take',
    'docs/upgrading.md': 'from one version to the next',
    'docs/config.md': 'every setting',
    'docs/policy.md': 'what an agent may do, and what can be lost at most',
    'docs/operating.md': 'approvals, sign-ins, revocation, audit, what is stuck',
    'docs/edge.md': 'the profile `data` in an edge runtime, without a machine',
    'docs/watching.md': 'figures, alerts, dashboards, traces, logs',
    'docs/metrics.md': 'every figure',
    'docs/runbook.md': 'what to do about each alert',
    'docs/backup.md': 'backup, restore, upgrade of the state',
    'docs/support-api.md': 'running the support API',
    'docs/support-api-reference.md': 'its settings and codes',
  },
  'For programmers': {
    'docs/wallet.md': 'the wallet package, a guide',
    'docs/wallet-errors.md': 'every code of the wallet package',
    'docs/api/wallet.md': 'every export of @svc/wallet',
    'docs/api/lp-math.md': 'every export of @svc/lp-math',
    'docs/api/test-utils.md': 'every export of @svc/test-utils',
    'CONTRIBUTING.md': 'how to change it, and how a version is made',
  },
  'What is promised, and what proves it': {
    'SECURITY.md': 'guarantees, the tests of each, and what they do not cover',
    'docs/attacks.md': 'what was tried on the ways in',
    'docs/spec-coverage.md': 'each requirement of the specification, with its test',
    'docs/measurements.md': 'every figure, with the command that prints it',
    'docs/architecture.md': 'packages, pipelines, stages',
    'docs/prices.md': 'which prices are believed',
    'docs/caches.md': 'what is kept between answers',
  },
}
