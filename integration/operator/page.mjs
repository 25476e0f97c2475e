/** The page: each chapter, its commands and what they printed. `places` are folders and what the page calls them. */
export function pageOf(chapters, places) {
  const parts = chapters.map(({ title, says, steps }, index) => {
    const shown = steps.map(({ command, text }) => `$ ${command}\n${text}`).join('')
    return `## ${index + 1}. ${title}\n\n${says === '' ? '' : `${says}\n\n`}\`\`\`console\n${shown}\`\`\`\n`
  })
  const page = `${heading}${parts.join('\n')}`.replaceAll(/\b(process \d+ on )[\w.-]+/g, '$1this-machine')
  return Object.entries(places).reduce((text, [folder, name]) => text.replaceAll(folder, name), page)
}

const heading = `# The first hour of an operator

What is printed below was printed: \`integration/operator/run\` does all of it in CI, in an empty directory with an empty home and the packed packages
alone, and fails where this page shows anything else; \`integration/operator/run --update\` writes it. Chain, provider of wallets and webhook are stand-ins
on the same machine. [Production](production.md) says what each step is for.

`

/** A page without what differs between runs: hashes, addresses, ids, times, figures and how full a gauge is. */
export function shapeOf(page) {
  return page
    .replaceAll(/0x[0-9a-fA-F]+(?:\.\.\.[0-9a-fA-F]+)?/g, 'HEX')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HEX')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'TIME')
    .replaceAll(/\[#*\.*\]/g, 'GAUGE')
    .replaceAll(/\d[\d,.]*/g, '#')
    .replaceAll(/# ?(?:ms|s|m|min|h)\b/g, '#')
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
}
