"""Reviews of labelled cases: cases in, scores with intervals out."""
