import * as z from 'zod'
import { type Tool, toolsetNames, toolsets } from '@svc/tool-server'

/** docs/tools.md: every tool with its parameters and results. */
export function renderTools(catalogue: readonly Tool[]): string {
  return `# Tools

Generated from the catalogue by \`npm run docs\`. Amounts are decimal strings in whole tokens, \`chain\` is a name or an id,
prices are token1 per token0 in the order the caller gives. Figures have six digits, errors three, dollars at least the hundredth of a cent where
others must add up with them. "more" is, of a plan, what its
tool gives; in an analysis, what [analytics.md](analytics.md#names-in-a-result) names, the errors of its figures above all: they are
left out of the listed schemas, for which every client pays.

${renderToolTable(catalogue)}

${catalogue.map(renderTool).join('\n')}`
}

function renderToolTable(catalogue: readonly Tool[]): string {
  const rows = catalogue.map(
    (tool) => `| \`${tool.name}\` | ${tool.access} | \`${tool.scope}\` | ${firstSentence(tool.description)} |`,
  )
  return ['| tool | access | scope | what it does |', '|---|---|---|---|', ...rows].join('\n')
}

type JsonSchema = {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** False where no other members come. */
  readonly additionalProperties?: unknown
}

function renderTool(tool: Tool): string {
  const input = z.toJSONSchema(tool.input, { io: 'input' }) as JsonSchema
  const output = z.toJSONSchema(tool.output) as JsonSchema
  return `## ${tool.name}

${tool.description}

Access ${tool.access}, scope \`${tool.scope}\`, ${toolsetText(tool.name)}${tool.inDataProfile ? ', in the `data` profile' : ''}.

| parameter | type | required | meaning |
|---|---|---|---|
${parameters(input).join('\n')}

Result: ${members(output)}.
`
}

function toolsetText(tool: string): string {
  const set = toolsetNames.find((name) => toolsets[name].includes(tool))
  return set === undefined ? 'in every toolset' : `toolset \`${set}\``
}

function parameters({ properties = {}, required = [] }: JsonSchema): readonly string[] {
  if (Object.keys(properties).length === 0) return ['| none | | | |']
  return Object.entries(properties).map(([name, schema]) => {
    const meaning = [
      ...(schema.description === undefined ? [] : [`${schema.description}.`]),
      ...boundsOf(schema),
      ...(schema.default === undefined ? [] : [`Default ${JSON.stringify(schema.default)}.`]),
    ]
    return `| \`${name}\` | ${typeOf(schema)} | ${required.includes(name) ? 'yes' : ''} | ${meaning.join(' ').replaceAll('|', '\\|')} |`
  })
}

function boundsOf({ minimum, maximum }: JsonSchema): readonly string[] {
  if (minimum === undefined) return []
  return [maximum === undefined ? `At least ${minimum}.` : `From ${minimum} to ${maximum}.`]
}

function members({ properties = {}, additionalProperties = false }: JsonSchema): string {
  const named = Object.entries(properties).map(([name, schema]) => `\`${name}\`${inside(schema)}`)
  return [...named, ...(additionalProperties === false ? [] : ['more'])].join(', ')
}

function inside(schema: JsonSchema): string {
  if (schema.properties !== undefined) return ` (${members(schema)})`
  if (schema.items?.properties !== undefined) return ` (list of ${members(schema.items)})`
  return ''
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'any' : typeOf(schema.items)}`
  return schema.type ?? 'any'
}

/** What a tool does, in one sentence. */
export function firstSentence(description: string): string {
  return /^.*?[.](?=\s|$)/.exec(description)?.[0] ?? description
}
