/** A piece of HTML. Only `html` makes one, so whatever else is put into a template is escaped. */
export type Html = { readonly [markup]: string }

/** A template whose values are escaped, unless they are HTML themselves; lists are joined, `null` is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const texts = parts.map((part, index) => (index === 0 ? part : `${render(values[index - 1])}${part}`))
  return { [markup]: texts.join('') }
}

/** The markup itself, for the one place that sends it. */
export function htmlText(piece: Html): string {
  return piece[markup]
}

export type HtmlValue = string | number | Html | readonly Html[] | null

const markup = Symbol('html')

function render(value: HtmlValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escape(`${value}`)
  if (Array.isArray(value)) return value.map(htmlText).join('')
  return markup in value ? value[markup] : ''
}

function escape(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}
