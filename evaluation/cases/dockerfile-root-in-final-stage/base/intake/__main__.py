print("taking in documents from outside")
