"""What things are: question, rubric, misconception, answer, score, lab, verdict, formula.

Pure data: pydantic models and functions over them. No files, no terminal, no torch; nothing of the other rooms.
"""
