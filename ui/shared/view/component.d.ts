import type {Json} from './payloads';
import type {Answer} from './ask';

// What a module's `start` gets: the component's element, its value as JSON, the server functions, its events.
export interface Component<Value = unknown, Server = object> {
  element: any;
  props: {readonly value: Json<Value>};
  server: Server;
  trigger(name: string, data?: unknown): void;
  watch(name: 'value', changed: () => void): void;
  given?: any;
  answer: Answer;
}

// What may come in place of an answer: a sentence, and whether to ask again, since a model is being opened.
export interface Answered {
  message?: string;
  opening?: boolean;
}
