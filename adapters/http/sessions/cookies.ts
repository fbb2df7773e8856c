/**
 * Returns the name of one of our cookies. Over https it has a prefix that makes browsers accept it from this very host
 * only, so that neither another host of the domain nor a page without TLS can replace it.
 */
export const cookieName = (name: 'session' | 'browser', isSecure: boolean): string =>
  `${isSecure ? '__Host-' : ''}trunkline_${name}`
