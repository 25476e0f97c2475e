import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { productionSteps } from '../../packages/cli/src/setup/set-up-production.ts'
import { type Coverage, linkTo, testsOf } from './render-spec-coverage.ts'

const commands = 'packages/cli/src/commands'
const files = {
  zero: `${commands}/setup.test.ts`,
  production: `${commands}/setup-production.chain.test.ts`,
  agent: 'packages/tool-server/src/provisioning/create-provision.chain.test.ts',
} as const

/** What the specification asks of a set-up, each with words that a test of it has. */
const specified: readonly (readonly [what: string, name: string, file: keyof typeof files, words: string])[] = [
  ['start', 'setup --zero', 'zero', "'--zero'"],
  ['start', 'a local key, the profile data, no accounts', 'zero', "profile: 'data'"],
  ['start', 'keys written to the environment file', 'zero', 'SVC_API_KEY_'],
  ['start', 'setup:production', 'production', "'production'"],
  ...[
    '--wallet-provider',
    '--wallet-app-id',
    '--wallet-app-secret',
    '--rpc-provider',
    '--rpc-api-key',
    '--deploy-target',
    '--skip-identity',
    '--non-interactive',
  ].map((flag) => ['flag', flag, 'production', flag.replace('--', '')] as const),
  ...productionSteps.map((step, index) => ['step', `${index + 1} ${step}`, 'production', '/10 ['] as const),
  ['order', 'provision_wallet, check_setup_health, register_agent, vault_deposit', 'agent', "'vault_deposit'"],
]

/** The part of docs/spec-coverage.md about set-ups. */
export function renderSetupCoverage(root: string): Coverage {
  const gaps: string[] = []
  const rows = specified.map(([what, name, file, words]) => {
    const tests = testsOf(files[file], readFileSync(join(root, files[file]), 'utf8'))
    const proof = tests.find(({ body }) => body.includes(words))
    if (proof === undefined) gaps.push(`setup: ${what} ${name}`)
    return `| ${what} | \`${name}\` | ${proof === undefined ? 'none' : linkTo(proof)} |`
  })
  return { text: `\n## Setting up\n\n| what | name | a test of it |\n|---|---|---|\n${rows.join('\n')}\n`, gaps }
}
