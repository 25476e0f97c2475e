import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Coverage, linkTo, testsOf } from './render-spec-coverage.ts'
import { identity } from './specified/identity.ts'
import { liquidityTools } from './specified/liquidity.ts'
import { operation } from './specified/operation.ts'
import type { Open, Specified } from './specified/row.ts'
import { toolServer } from './specified/server.ts'

/** The parts of docs/spec-coverage.md that go through each document of the specification, section by section. */
export function renderSpecified(root: string): Coverage {
  const gaps: string[] = []
  const parts = Object.entries(documents).map(([title, rows]) => {
    const lines = rows.map((row) => `| ${row.section} | ${row.what} | ${proofOf(row, root, gaps)} |`)
    return `\n## ${title}\n\n| section | what is asked | what shows it |\n|---|---|---|\n${lines.join('\n')}\n`
  })
  return { text: parts.join(''), gaps }
}

const documents: Readonly<Record<string, readonly (Specified | Open)[]>> = {
  'Wallet, identity and support API': identity,
  'Tool server': [...toolServer, ...operation],
  'Liquidity tools, beside what each takes and gives': liquidityTools,
}

/** A link to the test of that title; of a program that is no test file, to the program, which has the words. */
function proofOf(row: Specified | Open, root: string, gaps: string[]): string {
  if ('open' in row) return `**Open**: ${row.open}.`
  const { file, title } = row
  const source = readFileSync(join(root, file), 'utf8')
  const test = testsOf(file, source).find((one) => one.title.includes(title))
  if (test !== undefined) return linkTo(test)
  if (!file.endsWith('.test.ts') && source.includes(title)) return `[${file}](../${file})`
  gaps.push(`${row.section}: ${row.what}: ${file} has no "${title}"`)
  return 'none'
}
