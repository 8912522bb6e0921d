// The page for the type checker: selectors find elements of many kinds, whose properties it does not check.
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}

interface Element {
  closest(selectors: string): any;
}

interface JSON {
  parse<T>(text: import('./payloads').Json<T>): T & import('./component').Answered;
}

interface Document {
  readonly activeElement: any;
  elementFromPoint(x: number, y: number): any;
}

interface Event {
  readonly detail?: any;
}

interface Window {
  Plotly: any;
}
