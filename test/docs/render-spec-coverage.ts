import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** What the specification names of one tool. */
export type SpecifiedTool = {
  readonly parameters: Readonly<Record<string, { readonly required?: boolean; readonly default?: unknown }>>
  /** Paths of members: `pool.fee`, `strategies[].name`. */
  readonly result: readonly string[]
  /** Codes, each with its condition. */
  readonly errors: Readonly<Record<string, string>>
}

export type Coverage = {
  readonly text: string
  /** What no test names, as `tool: what`. */
  readonly gaps: readonly string[]
}

/**
 * docs/spec-coverage.md: each parameter, member and code of the specification's liquidity tools, with a test that names it in a call
 * of that tool. `files` are paths of test files below `root`.
 */
export function renderSpecCoverage(
  specified: Readonly<Record<string, SpecifiedTool>>,
  root: string,
  files: readonly string[],
): Coverage {
  const tests = files.flatMap((file) => testsOf(file, readFileSync(join(root, file), 'utf8')))
  const gaps: string[] = []
  const sections = Object.entries(specified).map(([tool, wanted]) => {
    const own = tests
      .filter((candidate) => isOf(candidate, tool))
      .toSorted((one, other) => distance(one, tool) - distance(other, tool))
    const row = (kind: string, name: string, detail: string, pattern: RegExp) => {
      const proof = own.find(({ body }) => pattern.test(body))
      if (proof === undefined) gaps.push(`${tool}: ${kind} ${name}`)
      return `| ${kind} | \`${name}\` | ${detail} | ${proof === undefined ? 'none' : linkTo(proof)} |`
    }
    const rows = [
      ...Object.entries(wanted.parameters).map(([name, { required, default: fallback }]) => {
        const detail = required === true ? 'required' : fallback === undefined ? '' : `default \`${text(fallback)}\``
        return row('parameter', name, detail, new RegExp(String.raw`\b${name}\b\s*[:,}]|'${name}'`))
      }),
      ...wanted.result.map((path) => row('result', path, '', memberPattern(path))),
      ...Object.entries(wanted.errors).map(([code, when]) => row('code', code, when, new RegExp(`\\b${code}\\b`))),
    ]
    return `### ${tool}\n\n| what | name | | a test of it |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return { text: heading + sections.join('\n'), gaps }
}

const heading = `
## Each liquidity tool

From the names that the specification uses (\`test/docs/specified-liquidity.json\`). That each parameter, default and member stands in the
tool's schema is tested for all of them at once; the test named here uses it in a call or looks at it in an answer.

`

export type CoveringTest = { readonly file: string; readonly title: string; readonly body: string }

/** The tests of a file, each with its text up to the next. What stands before the first, which all share, is part of each. */
export function testsOf(file: string, source: string): readonly CoveringTest[] {
  const starts = [
    ...source.matchAll(/^[ \t]*(?:it|test)(?:\.(?:each|for)\([\s\S]*?\))?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm),
  ]
  const shared = source.slice(0, starts[0]?.index ?? 0)
  return starts.map((start, index) => ({
    file,
    title: start[2] ?? '',
    body: shared + source.slice(start.index, starts[index + 1]?.index),
  }))
}

/** A test of a tool stands in a file named after it, or calls it by name. */
function isOf(test: CoveringTest, tool: string): boolean {
  return isOwn(test, tool) || test.body.includes(`'${tool}'`)
}

const isOwn = ({ file }: CoveringTest, tool: string) => basename(file).startsWith(`${tool.replaceAll('_', '-')}.`)

/** The tool's own tests first, attacks last, those on a chain before others. */
function distance(test: CoveringTest, tool: string): number {
  const place = isOwn(test, tool) ? 0 : basename(test.file).startsWith('attack-') ? 4 : 2
  return place + (test.file.includes('.chain.') ? 0 : 1)
}

/** A member is looked at by its name, also where tests put `0` and `1` into it in turn. */
function memberPattern(path: string): RegExp {
  const name = path.split('.').at(-1)?.replace('[]', '') ?? path
  return new RegExp(String.raw`\b${name.replace(/[01]/, (digit) => String.raw`(?:${digit}|\$\{\w+\})`)}\b`)
}

export function linkTo({ file, title }: CoveringTest): string {
  const shown = title.replaceAll('|', String.raw`\|`).replaceAll(/\s+/g, ' ')
  return `[${shown}](../${file})`
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
