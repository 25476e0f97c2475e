import { printable } from '@svc/runtime'
import type { LastWrite } from '@svc/tool-server/operator-status'
import { table } from '../table.ts'

/** As lines for a terminal; none where there is no write. */
export function lastWriteLines(writes: readonly LastWrite[]): readonly string[] {
  if (writes.length === 0) return []
  const rows = writes.map(({ at, tool, outcome, code, spentUsd, lostUsd, txHash }) =>
    [at.slice(0, 19), tool, code ?? outcome, spentUsd ?? '', lostUsd ?? '', txHash ?? ''].map((cell) =>
      printable(cell, 80),
    ),
  )
  const header = ['LAST WRITES', 'TOOL', 'OUTCOME', 'USD', 'LOST AT MOST', 'TRANSACTION']
  return ['', table([header, ...rows], { alignRight: [3, 4] }).trimEnd()]
}
