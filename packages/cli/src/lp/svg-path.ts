import { UsageError } from '../usage-error.ts'

/** The file that `--svg` names, which is written over: so none of another kind, such as the bars. Throws `UsageError`. */
export function svgPath(text: string | undefined): string | undefined {
  if (text === undefined || /\.svg$/i.test(text)) return text
  throw new UsageError(`--svg takes the name of a file that ends in .svg, not "${text.slice(0, 40)}"`)
}
