/** Icons of 16 px, drawn with the colour of the text around them. */
import type { JSX } from 'preact'

const paths = {
  overview: 'M2 2h5v7H2zM9 2h5v4H9zM9 8h5v6H9zM2 11h5v3H2z',
  stock: 'M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
  sales: 'M2 13l4-5 3 3 5-7M10 4h4v4',
  purchase: 'M1.5 2h2l1.6 8h7l1.4-5.5H4.3M6 13.2h.01M11 13.2h.01',
  production: 'M2 14V7l4 2.5V7l4 2.5V3h4v11z',
  masters: 'M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3',
  receipt: 'M3 1.5h10v13l-2-1.4-1.5 1.4L8 13.1l-1.5 1.4L5 13.1l-2 1.4zM5.5 5h5M5.5 8h5',
  partner:
    'M5.5 8a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM1.5 14c0-2.5 1.6-4 4-4s4 1.5 4 4M11 8.2a2 2 0 10-.8-3.9M11.5 10c1.9.2 3 1.6 3 3.5',
  operate:
    'M8 10.2a2.2 2.2 0 100-4.4 2.2 2.2 0 000 4.4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4',
  search: 'M7 12A5 5 0 107 2a5 5 0 000 10zM10.7 10.7L14.5 14.5',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  down: 'M4 6.5l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  export: 'M8 2v8M4.5 7L8 10.5 11.5 7M2.5 13.5h11',
  code: 'M5 4L1.5 8 5 12M11 4l3.5 4L11 12',
  columns: 'M2 3h12v10H2zM6 3v10M10 3v10',
  filter: 'M2 3h12l-4.5 5.5V13l-3 1V8.5z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  more: 'M2.9 8h.8M7.6 8h.8M12.3 8h.8',
  pin: 'M5 2h6l-1 5 2 2.5H4L6 7zM8 9.5V14',
  chart: 'M2 14V2M2 14h12M5 11V8M8 11V5M11 11V7',
  copy: 'M5 5h9v9H5zM2 11V2h9',
  user: 'M8 8a3 3 0 100-6 3 3 0 000 6zM2.5 14.5c0-3 2.2-4.8 5.5-4.8s5.5 1.8 5.5 4.8',
  sun: 'M8 11a3 3 0 100-6 3 3 0 000 6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  link: 'M6.5 9.5l3-3M7 4.5l1.8-1.8a3 3 0 014.3 4.2L11.2 9M9 11.5l-1.8 1.8a3 3 0 01-4.3-4.2L4.8 7',
  plus: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  warning: 'M8 2l6.5 12h-13zM8 6.5v3.5M8 12h.01',
  calendar: 'M2 3.5h12V14H2zM2 6.5h12M5 1.5v3M11 1.5v3',
  clock: 'M8 14.2A6.2 6.2 0 108 1.8a6.2 6.2 0 000 12.4zM8 4.5V8l2.5 1.7',
  difference: 'M8 2v6M5 5h6M5 12.5h6',
  up: 'M4 9.5l4-4 4 4',
  group: 'M2 3h5v4H2zM2 9h5v4H2zM9.5 4.9h4.5M9.5 11h4.5',
  compare: 'M2 13V8h3v5M6.5 13V3h3v10M11 13V6h3v7',
  save: 'M3.5 2h9v12L8 10.8 3.5 14z',
  pivot: 'M2 2h12v12H2zM2 6h12M6 2v12',
  trace: 'M2 3h3v3H2zM2 10h3v3H2zM11 6.5h3v3h-3zM5 4.5h2.5v7H5M7.5 8H11',
  table: 'M2 3h12v10H2zM2 6.3h12M2 9.7h12',
  lines: 'M2 2v12h12M4 10.5l3-3.5 3 2 4-5',
  stacked: 'M2 2v12h12M5 11V9M5 7.5V6M8.5 11V7M8.5 5.5V3M12 11v-1M12 8.5V5',
  share: 'M8 10V2M5 4.5L8 2l3 2.5M3 8v6h10V8',
  grip: 'M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
