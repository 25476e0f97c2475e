import type { policyMembers } from '@svc/engine/policy'

/** `docs/policy.md`: a whole policy, what can be lost under it at most, and what the operator can say, member by member. */
export function renderPolicy(members: ReturnType<typeof policyMembers>, sample: object, losses: string): string {
  const rows = members.map(
    ({ name, default: fallback, description }) =>
      `| \`${name}\` | ${fallback === null ? '' : `\`${fallback}\``} | ${description} |`,
  )
  return `# The policy

A whole \`policy.json\`: at most 500 US dollars a transaction, 1,000 a session and 2,000 in any 24 hours, a person asked above
250, and no token but those of each chain's own list and those named here. These are the defaults of production, written out; whatever is left out holds by default.

\`\`\`json
${JSON.stringify(sample, null, 2)}
\`\`\`

What the agent may do with the wallet stands in \`policy.json\` in the data directory (\`SVC_DATA_DIR\`). The operator writes it;
no tool reads or writes that directory, so the agent can neither loosen nor tighten it. Without the file the defaults
hold. The file belongs to the user of the server or to root, and neither its group nor others may write it (mode 0600, or
0644 where others may read it); anything else, and any member that is unknown or wrong, is refused by name, and nothing
is signed under a policy that cannot be read.

\`svc policy show\` prints the policy in force, each member with its value and whether the file or a default says so, and on the
chains with an endpoint of their own the tokens, spenders and recipients that it comes to (\`--json\` for programs).
\`svc policy check\` says what is wrong with a file and prints the hash that the audit log names, \`svc policy explain\` what
each rule and each price source says to one plan and how to change it (to a stored one as if it were carried out now, which sets
its deadline anew), \`svc policy add-token\` adds a token with its price
sources once a person has said yes (docs/operating.md), \`svc policy test\` runs named cases against it, \`svc policy schema\`
prints its JSON Schema (\`docs/policy.schema.json\`; name it as \`$schema\` and an editor checks the file while it is written).
Chains are those of the server's settings (\`SVC_CHAINS_FILE\`), and the wallet is \`--wallet\` or that of the settings;
where neither says anything and the data directory is a local world's, its own are taken, and a line on stderr says so. Exit
codes: 0 in order, 1 something is wrong, 2 the words were off.

A running server reads the file again before each write and before each signature, so a change holds for the next call, and
for one on its way: what it has yet to sign must fit the policy in force then, or it ends there. \`rateLimits\` change at the
next start. A change is on record before anything is signed under it: \`policy.changed\` in the audit log names the hash of the policy before and after, and every
\`tx.intent\` line the hash of the policy it was signed under. A file that is broken or gone while the server runs stops
signing with \`POLICY_INVALID\`; the old one does not go on in silence. Within a second the
server's log says which file it is, every wrong member by its path (or line and column), and the fix (\`policy.invalid\`),
and later that it is in order again (\`policy.mended\`); the audit log has both. A server does not start under a broken file, and says the same.

\`version\` is 1. A file of another version is refused as a whole, naming the versions that are read.

## What you can lose at most

The limits above say what may be *moved*: a swap of 500 US dollars counts as 500, and 499 of them come back as another token. What may
be *lost* is far less. In US dollars, of all callers together, under the defaults and under a day of 300 (\`limitsUsd\` of 100, 300
and 300):

${losses}

\`svc policy show\` and the start of \`svc serve\` print the sum of the policy in force, \`svc status\` and \`check_safety_status\` what
of it is used up. The hours roll on: two days may cost it twice. A person's yes lifts none of it, and no caller has a share of its own. Whatever
the sums are, a wallet holds no more than you can lose.

## Callers

\`principals\` narrows what single callers may do. A caller's id is \`local\` over stdio, \`api-key:<16 hex digits>\` for an API
key and \`bearer:<16 hex digits>\` for the static token, the digits being the beginning of the SHA-256 of the secret: \`svc keys list\` prints that of each key. Who signs in with a wallet is
\`siwe:<address>\`; what such a caller may do beside reading, \`signIn\` says ([how](operating.md#let-wallets-sign-in)).
Who comes with a token of [an authorization server](operating.md#take-tokens-of-an-authorization-server) or [an access edge](operating.md#behind-an-access-edge) is \`oauth:<16 hex digits>:<32>\` or \`edge-access:<service>\`, as the log has it (\`auth.token-verified\`). Any
other id is refused: a grant to a name nobody comes with would bound nobody. The
audit log names it in every \`tx.intent\` line (\`actor.principal\`), and \`svc policy explain\` prints it for a stored plan.
A grant that would give more than the policy is refused when the file is read. A tool that is not granted is refused
with \`PRINCIPAL_NOT_GRANTED\`.

## The managed wallet's provider

\`svc policy compile --template ROLE\` prints the policy as the provider of managed wallets (Privy) takes it: \`aggregations\`
to create first, whose ids then stand where the rules say \`aggregation.<name>\`, and the \`policy\`. What no rule allows is
denied there. A role's template (\`vault_participant\`, \`vault_manager\`, \`vault_creator\`) says which of the AMM's contracts it
reaches, whether it signs permits, and how much native currency may leave. It is a second fence: \`notExpressed\` lists what
only the server enforces, among it every limit in dollars and the simulation. The owner of the provider's policy must be
a key that the server's host does not hold, or whoever takes the host can lift it.

## Cases

\`svc policy test\` reads \`policy.test.json\` beside the policy:

\`\`\`json
{
  "wallet": "0x00000000000000000000000000000000000000bb",
  "cases": [
    {
      "name": "wrapping one ether is fine, but somebody is asked",
      "tool": "execute_swap",
      "principal": "local",
      "spendUsd": "3000",
      "intent": {
        "chainId": 8453,
        "calls": [{ "to": "0x4200000000000000000000000000000000000006", "data": "0xd0e30db0", "valueWei": "1000000000000000000", "label": "wrap" }],
        "atomicity": "single",
        "spends": [{ "token": "0x0000000000000000000000000000000000000000", "amount": "1000000000000000000" }],
        "receives": [{ "token": "0x4200000000000000000000000000000000000006", "amount": "1000000000000000000" }],
        "approvals": [],
        "riskTier": "routine",
        "slippageBps": null,
        "deadline": null,
        "recipients": [],
        "why": "wrap ether"
      },
      "expect": "deny",
      "code": "APPROVAL_REQUIRED"
    }
  ]
}
\`\`\`

\`allow\` means that the call is signed at once; what a person must approve, or what must wait, is a \`deny\`. \`tool\`,
\`principal\`, \`spendUsd\` (without it the limits are not asked), \`nowSeconds\` (the time of the call) and \`code\` may be left
out, and so may \`wallet\` in the directory of a local world, whose own it then is. A case may be denied with several
codes; \`code\` holds when any one of them is it. Nothing is asked of a chain: simulation,
prices and what is spent already play no part. \`spendUsd\` leaves gas out, which a server adds at its worst before it asks
the limits: for a case at the edge of a limit write the sum of both. \`svc policy explain\` adds the gas of a stored plan.

## Members

Generated from the schema by \`npm run docs\`.

| member | default | what it says |
|---|---|---|
${rows.join('\n')}
`
}
