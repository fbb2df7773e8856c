/**
 * The name of a cookie of ours. Over https it is one that a browser takes from this very host alone, so that neither
 * another host of the domain nor a page without TLS can put theirs in its place.
 */
export const cookieName = (name: 'session' | 'browser', isSecure: boolean): string =>
  `${isSecure ? '__Host-' : ''}trunkline_${name}`
