import type { PublicApi, PublicExport } from './read-public-api.ts'

/** A page of `docs/api`: every export of the main entry in full, and of each other entry what the main one lacks. */
export function renderApi(packageName: string, folder: string, entries: Readonly<Record<string, PublicApi>>): string {
  const conventions = conventionsOf[packageName] ?? chainConventions
  const [[, main], ...others] = Object.entries(entries) as [[string, PublicApi], ...[string, PublicApi][]]
  const known = new Set(main.exported.map(({ name }) => name))
  const more = others.map(([path, { exported }]) => {
    const own = exported.filter(({ name }) => !known.has(name))
    for (const { name } of own) known.add(name)
    return { path, own, same: exported.filter((one) => !own.includes(one)) }
  })
  const links = (text: string) => linked(text, known)
  const whole = (one: PublicExport) => renderExport(one, folder, links)
  return `# ${packageName}

Generated from the docstrings by \`npm run docs\`. ${conventions}

| export | what it is |
|---|---|
${main.exported
  .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  .map((one) => `| [\`${one.name}\`](#${anchorOf(one.name)}) | ${links(firstSentence(one.doc))} |`)
  .join('\n')}

${order.map((kind) => section(titles[kind], main.exported.filter((one) => one.kind === kind).map(whole))).join('')}${more
    .map(({ path, own, same }) =>
      section(`\`${packageName}${path}\``, [
        ...(same.length === 0 ? [] : [`As above: ${same.map(({ name }) => links(`{@link ${name}}`)).join(', ')}.\n`]),
        ...own.map(whole),
      ]),
    )
    .join('')}`.replace(/\n+$/, '\n')
}

const chainConventions = `Amounts on a chain are \`bigint\` in the smallest unit (names ending in \`Wei\`; decimal text in
results, so that they can be written as JSON),
times are milliseconds (names ending in \`Ms\`; points in time are Unix milliseconds). Whatever fails rejects with a
\`WalletError\`, unless the entry says otherwise.`

const conventionsOf: Readonly<Record<string, string>> = {
  '@svc/lp-math': `What goes by token0 and token1 comes in that order, and a price is token1 for one token0. Amounts are
\`bigint\` in smallest units, square root prices Q64.96 (names ending in \`X96\`), prices and values whole tokens. The fee of a swap is in millionths of its
input (\`feePips\`: 3000 is 30 bp); what ends in \`Pct\` or \`Apr\` is in percent, what ends in \`Bps\` in hundredths of one; every other rate and share is a fraction. A
year has 365 days. What cannot be meant throws an \`LpMathError\`, whose \`code\` says which bound was broken.`,
}

const order = ['function', 'class', 'value', 'type'] as const

const titles = { function: 'Functions', class: 'Classes', value: 'Values', type: 'Types' } as const

function section(title: string, parts: readonly string[]): string {
  return parts.length === 0 ? '' : `## ${title}\n\n${parts.join('\n')}\n`
}

function renderExport(
  { name, kind, doc, declared, source, uses }: PublicExport,
  folder: string,
  links: (text: string) => string,
): string {
  const shown = kind === 'value' ? shortened(declared) : kind === 'function' ? broken(declared) : declared
  const seen = uses.length === 0 ? '' : `\nSee ${uses.map((used) => links(`{@link ${used}}`)).join(', ')}.\n`
  return `### ${name}

${links(doc)}

\`\`\`ts
${shown}
\`\`\`
${seen}
[Source](../../${folder}/${source})
`
}

/** `{@link X}` becomes a link where the page has X, else code. */
function linked(text: string, known: ReadonlySet<string>): string {
  return text.replaceAll(/\{@link (\w+)\}/g, (_whole, name: string) =>
    known.has(name) ? `[\`${name}\`](#${anchorOf(name)})` : `\`${name}\``,
  )
}

function anchorOf(name: string): string {
  return name.toLowerCase()
}

function firstSentence(doc: string): string {
  const [paragraph = ''] = doc.replaceAll('|', '\\|').split('\n\n')
  const flat = paragraph.replaceAll('\n', ' ')
  return /^.*?\.(?=\s|$)/.exec(flat)?.[0] ?? flat
}

/** The type of a table is as long as the table. */
function shortened(declared: string): string {
  const [first = '', ...rest] = declared.split('\n')
  return rest.length > 8 ? `${first} … }` : declared
}

/** A long signature, a parameter a line. */
function broken(declared: string): string {
  if (declared.length <= 120 || declared.includes('\n')) return declared
  const [, head = '', parameters = '', tail = ''] = /^([^(]*)\((.*)\)(: [^)]*;)$/.exec(declared) ?? []
  if (head === '') return declared
  const lines = parameters.split(/, (?=\w+\??: )/).map((parameter) => `  ${parameter},`)
  return `${head}(\n${lines.join('\n')}\n)${tail}`
}
