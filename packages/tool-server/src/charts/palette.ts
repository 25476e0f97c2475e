/** The colours of a picture. Those of the series are Okabe and Ito's, which the colour-blind tell apart; the best is darker, for small letters. */
export const palettes = {
  light: {
    ground: '#ffffff',
    ink: '#1a1a1a',
    faint: '#555555',
    grid: '#dddddd',
    best: '#bf5300',
    fan: '#0072b2',
    series: ['#0072b2', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7f4fc9', '#8c564b', '#444444'],
  },
  dark: {
    ground: '#161b22',
    ink: '#f0f0f0',
    faint: '#b0b8c0',
    grid: '#39424d',
    best: '#ff8c42',
    fan: '#56b4e9',
    series: ['#56b4e9', '#2ecc9a', '#e3a0c6', '#f0e442', '#8fb8ff', '#c6a8ff', '#d8a48f', '#cccccc'],
  },
} as const

export type Theme = keyof typeof palettes

export type Palette = (typeof palettes)[Theme]
