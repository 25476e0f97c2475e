import type { policyMembers } from '@svc/tool-server'

/** `docs/policy.md`: what the operator can say, member by member. */
export function renderPolicy(members: ReturnType<typeof policyMembers>): string {
  const rows = members.map(
    ({ name, default: fallback, description }) =>
      `| \`${name}\` | ${fallback === null ? '' : `\`${fallback}\``} | ${description} |`,
  )
  return `# The policy

What the agent may do with the wallet stands in \`policy.json\` in the data directory (\`SVC_DATA_DIR\`). The operator writes it;
no tool reads or writes that directory, so the agent can neither loosen nor tighten it. Without the file the defaults
hold. The file belongs to the user of the server or to root and nobody else may write it (mode 0600); anything else, and
any member that is unknown or wrong, is refused by name, and nothing is signed under a policy that cannot be read.

\`docs/policy.schema.json\` is the JSON Schema of the file; name it as \`$schema\` and an editor checks the file while it is
written.

A running server reads the file again before each write, so a change holds for the next call; what is on its way goes
on under the policy it began with, and \`rateLimits\` and \`breaker\` change at the next start. A change is on record before
anything is signed under it: \`policy.changed\` in the audit log names the hash of the policy before and after, and every
\`tx.intent\` line the hash of the policy it was signed under. A file that is broken or gone while the server runs stops
signing with \`POLICY_INVALID\`; the old one does not go on in silence.

\`version\` is 1. A file of another version is refused as a whole, naming the versions that are read.

## Callers

\`principals\` narrows what single callers may do. A caller's id is \`local\` over stdio, \`api-key:<16 hex digits>\` for an API
key and \`bearer:<16 hex digits>\` for the static token, the digits being the beginning of the SHA-256 of the secret. The
audit log names it in every \`tx.intent\` line (\`actor.principal\`).
A grant that would give more than the policy is refused when the file is read. A tool that is not granted is refused
with \`PRINCIPAL_NOT_GRANTED\`.

## Members

Generated from the schema by \`npm run docs\`.

| member | default | what it says |
|---|---|---|
${rows.join('\n')}
`
}
