import type { alertTable, AlertRow } from '@svc/tool-server'

/** The alerts as a file of rules for Prometheus. */
export function renderAlertRules(table: typeof alertTable): string {
  return `# Generated from alert-table.ts by \`npm run docs\`: the conditions that the server itself goes by. What to do: docs/runbook.md.
groups:
  - name: svc
    rules:
${table.map(ruleOf).join('\n')}
`
}

function ruleOf({ id, severity, summary, condition, expr }: AlertRow): string {
  return `      - alert: ${alertNameOf(id)}
        expr: |
${expr.replace(/^/gm, '          ')}
        labels:
          severity: ${severity}
        annotations:
          summary: ${JSON.stringify(summary)}
          description: ${JSON.stringify(condition)}
          runbook: docs/runbook.md#${id.replaceAll('_', '-')}`
}

/** As Prometheus names alerts. */
function alertNameOf(id: string): string {
  return `Svc${id.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`
}
