import { type KeyTier, type Principal, type Scope, scopes, serviceScopes, signInScopes } from '@svc/engine'
import { parsePolicy } from '@svc/engine/policy'
import type { Tool } from '@svc/tool-server'
import { apiKeyFrom, apiKeyStage, bearerStage, keyTiers } from '../../packages/tool-server/src/auth/credentials.ts'
import { may } from '../../packages/tool-server/src/dispatch/offered-tools.ts'
import { localPrincipal } from '../../packages/tool-server/src/transports/stdio.ts'

/** docs/access.md: which tools are open to whom, by what the server decides with, and what is said to whom they are not. */
export async function renderAccess(catalogue: readonly Tool[]): Promise<string> {
  const callers = await knownCallers()
  const groups = new Map<string, string[]>()
  for (const tool of catalogue) {
    const cells = cellsOf(tool, callers).join(' | ')
    groups.set(cells, [...(groups.get(cells) ?? []), tool.name])
  }
  const rows = [...groups].map(([cells, names]) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${cells} |`)
  return `${introduction}
| tool | ${[...callers.keys(), byScope].join(' | ')} |
|---|${':-:|'.repeat(callers.size)}---|
${rows.join('\n')}

${ofCallers}
| | ${transports.join(' | ')} |
|---|${'---|'.repeat(transports.length)}
${Object.entries(answers)
  .map(([asked, said]) => `| ${asked} | ${transports.map((one) => said[one]).join(' | ')} |`)
  .join('\n')}

${ofAnswers}`
}

/** What the table of docs/access.md says of each tool, by the heads of its columns. */
export function readAccess(page: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const rows = page.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.slice(2, -2).split(' | ')] : []))
  const at = rows.findIndex(([first]) => first === 'tool')
  const [, ...heads] = rows[at] ?? []
  const tools = new Map<string, Readonly<Record<string, string>>>()
  for (const [names = '', ...cells] of rows.slice(at + 1)) {
    if (!names.startsWith('`')) break
    const row = Object.fromEntries(heads.map((head, index) => [head, cells[index] ?? '']))
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) tools.set(name, row)
  }
  return tools
}

/** Whether a caller who has these scopes and nothing else may call a tool. */
export function isOpenTo(row: Readonly<Record<string, string>>, granted: readonly Scope[]): boolean {
  return granted.some((scope) => row[byScope]?.includes(`\`${scope}\``))
}

export const isOpen = 'yes'
const byScope = 'any one of these scopes'
export const transports = ['stdio', 'HTTP, 2026-07-28', 'HTTP, sessions of before', 'WebSocket'] as const
export type Transport = (typeof transports)[number]

const inWords = 'hidden; `INSUFFICIENT_KEY_TIER`'
const elsewhere = 'hidden; `TOOL_NOT_IN_PROFILE`'
const stepUp = 'hidden; 403 `INSUFFICIENT_KEY_TIER`'
const unknown = '401 `AUTHENTICATION_REQUIRED`'

/** What is said, by what is asked for; no caller of the network comes over stdio, and nobody else does. */
export const answers = {
  'an open tool': everywhere('listed; called'),
  'another, by a key, the token, a wallet or an edge': { ...everywhere(inWords), stdio: '' },
  'another, by a token of OAuth': { ...everywhere(stepUp), stdio: '', WebSocket: inWords },
  'one that profile or toolsets leave out, by whomever': everywhere(elsewhere),
  'any, without credentials or with wrong ones': { ...everywhere(unknown), stdio: '' },
} as const

function everywhere(said: string): Readonly<Record<Transport, string>> {
  return Object.fromEntries(transports.map((one) => [one, said])) as Record<Transport, string>
}

/** One of each kind, as the stages of authentication make it; wallets with all that can be granted. */
async function knownCallers(): Promise<ReadonlyMap<string, Pick<Principal, 'tier' | 'scopes'>>> {
  const keys = Object.fromEntries(
    keyTiers.map((tier) => [tier, apiKeyFrom(tier, new Uint8Array(32).fill(tier.length))]),
  ) as Record<KeyTier, string>
  const ofKeys = keyTiers.map(
    async (tier) => [`\`${tier}\` key`, await principalOf(apiKeyStage(keys), keys[tier])] as const,
  )
  const token = await principalOf(bearerStage('x'.repeat(43)), 'x'.repeat(43))
  const address = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
  const grants = scopes.filter((scope) => !scope.startsWith('read:'))
  const policy = parsePolicy({ signIn: { wallets: { [address]: grants } } }, { production: true })
  const wallet = (role: Parameters<typeof signInScopes>[1]['role']) => ({
    tier: null,
    scopes: signInScopes(policy, { address, agentId: null, role }),
  })
  return new Map<string, Pick<Principal, 'tier' | 'scopes'>>([
    ['stdio', localPrincipal],
    ...(await Promise.all(ofKeys)),
    ['static token', token],
    ['wallet', wallet(null)],
    ['participant', wallet('vault_participant')],
    ['manager', wallet('vault_manager')],
    ['creator', wallet('vault_creator')],
    ['edge', { tier: null, scopes: serviceScopes(policy, 'another') }],
  ])
}

async function principalOf(stage: ReturnType<typeof bearerStage>, bearer: string): Promise<Principal> {
  const outcome = await stage({ bearer, headers: {} })
  if (outcome === null || 'refused' in outcome) throw new TypeError('The credentials are not taken.')
  return outcome
}

function cellsOf(tool: Tool, callers: Awaited<ReturnType<typeof knownCallers>>): readonly string[] {
  const mayCall = (caller: Pick<Principal, 'tier' | 'scopes'>) =>
    may({ id: '', stage: 'oauth', expiresAt: null, ...caller }, tool)
  const one = scopes.filter((scope) => mayCall({ tier: null, scopes: new Set([scope]) }))
  return [
    ...[...callers.values()].map((caller) => (mayCall(caller) ? isOpen : '')),
    one.map((scope) => `\`${scope}\``).join(', '),
  ]
}

const introduction = `# Who may call what

Generated by \`npm run docs\` from what the server decides with. A test walks each cell on each transport, with the clients of both SDK
generations and with \`ws\`: whether the tool is listed, and how far a call of it comes.
`

const ofCallers = `- **stdio**: whoever starts the process.
- **Keys** are judged by their tier, everybody else by scopes.
- **wallet**: one that signed in (EIP-4361) and to which nothing is granted, whatever it is registered as; or which is not registered, whatever
  is granted. **participant**, **manager**, **creator**: one that is registered as that, with everything granted; granted less, it
  has what is both granted (\`signIn\` of the [policy](policy.md)) and in its column.
- **edge**: a service that an access edge let in and to which nothing is granted.
- **${byScope}** opens it to a token of OAuth, which has its scopes and nothing else, and to a service of the edge that was granted it.
- \`execute_plan\` and \`cancel_operation\` act on what is stored: they need as well what the tool needs that was planned, and the operation to be the caller's own.

What is said, by transport:
`

const ofAnswers = `Hidden is what \`tools/list\` leaves out. A code without a status is that of a result with \`isError\`; the 403 names the scope that is lacking in
\`WWW-Authenticate\` (\`insufficient_scope\`), so that the client can ask for it; what any of several scopes opens says so in words instead. Over WebSocket the status is that of the refused upgrade.
`
